import { useEffect, useState } from "react";
import { useSession } from "../session/session.ts";

/** The organization of the screens: that of the path, of the person, or the one an operator has seen last; null: none. */
export function useShownOrganization(pathname: string): string | null {
  const { organization } = useSession();
  const inPath = /^\/organizations\/([^/]+)/.exec(pathname)?.[1];
  const [last, setLast] = useState(inPath);
  useEffect(() => setLast((before) => inPath ?? before), [inPath]);
  return inPath ?? organization?.id ?? last ?? null;
}
