import { CopyIcon } from "./copy.tsx";

/** The base URL of /v1 for programs, as the service says it. */
export function BaseUrl({ url }: { url: string }) {
  return (
    <span className="base-url">
      Base URL <code>{url}</code>
      <CopyIcon text={url} label="Copy the base URL" />
    </span>
  );
}
