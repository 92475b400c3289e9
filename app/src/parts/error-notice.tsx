import { Alert, Button, Code, Text } from "@mantine/core";
import { RequestFailure } from "../api/failure.ts";

/** Shows an error, with the request id that the service's log has. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const failure = error instanceof RequestFailure ? error : null;
  return (
    <Alert className="error-notice" variant="default" role="alert" title="That did not work">
      <Text size="sm">{error instanceof Error ? error.message : String(error)}</Text>
      {failure !== null && (
        <Text size="sm" mt="xs">
          Code <Code>{failure.code}</Code>
          {failure.requestId !== null && (
            <>
              , request <Code>{failure.requestId}</Code>
            </>
          )}
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="xs" mt="sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
