// The state of a form while it is submitted.
import { type FormEvent, useState } from "react";

/** Runs `onSubmit` when a form is submitted, and keeps its error until the next attempt. */
export function useSubmit(onSubmit: () => Promise<unknown>) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await onSubmit();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, submit };
}
