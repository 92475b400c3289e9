import { Text } from "@mantine/core";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { TextLink } from "../parts/link.tsx";
import { Screen } from "../parts/screen.tsx";

/** For a URL without a screen. */
export function UnknownScreen() {
  return (
    <Screen title="There is no such screen">
      <Text>
        The address may be mistyped. <TextLink to="/">Go to the first screen</TextLink>
      </Text>
    </Screen>
  );
}

/** For a frame that could not be shown. */
export function FailedFrame({ error }: { error: unknown }) {
  return (
    <main className="main">
      <FailedScreen error={error} />
    </main>
  );
}

/** For a screen that could not be shown, within the frame. */
export function FailedScreen({ error }: { error: unknown }) {
  return (
    <Screen title="This screen failed">
      <ErrorNotice error={error} onRetry={() => window.location.reload()} />
    </Screen>
  );
}
