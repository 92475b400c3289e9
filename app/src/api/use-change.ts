// A change is one request; afterwards all data of the screens is read again.
import { useMutation, useQueryClient } from "@tanstack/react-query";

/** Runs a change and reads all data again, before it counts as done. */
export function useChange<Input = void, Output = unknown>(
  change: (input: Input) => Promise<Output>,
  onDone: (output: Output) => void = () => {},
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (output) => {
      onDone(output);
      await queryClient.invalidateQueries();
    },
  });
}
