import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { credentials, forgetKey } from "../../api/credentials.ts";
import { WITH_KEY } from "../../api/queries.ts";

/** Whether this tab has an API key. `forget` also forgets what was read with it. */
export function useTabKey() {
  const queryClient = useQueryClient();
  const [hasKey, setHasKey] = useState(credentials.key !== null);
  const forget = () => {
    forgetKey();
    queryClient.removeQueries({ queryKey: [WITH_KEY] });
    setHasKey(false);
  };
  return { hasKey, setHasKey, forget };
}
