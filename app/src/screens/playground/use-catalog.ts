import { useQuery } from "@tanstack/react-query";
import { useContext } from "react";
import type { Model } from "../../api/client.ts";
import { modelsQuery } from "../../api/queries.ts";
import { SessionContext } from "../../session/session.ts";

/** The models with their settings and prices; none while they are not known, and for the holder of a key without a session. */
export function useCatalog(): readonly Model[] {
  const hasSession = useContext(SessionContext) !== null;
  return useQuery({ ...modelsQuery, enabled: hasSession }).data ?? [];
}
