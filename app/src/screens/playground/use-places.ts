// The places of the chats and their models in the address, for a reload and a link.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { defined } from "../../parts/defined.ts";
import { type PlaygroundSearch, readPlaygroundSearch } from "../search.ts";
import type { Place } from "./transcript.ts";

/** What the address had when the screen was opened: the models, and the places of the first and the second chat. */
export function useOpened(): { model: string; beside: string | null; places: readonly [Place, Place] } {
  const search = useSearch({ strict: false, select: readPlaygroundSearch });
  const [opened] = useState(search);
  const { conversation, response, model = "", beside = null, beside_at: at } = opened;
  const second: Place = at === undefined ? {} : at.startsWith("conv_") ? { conversation: at } : { response: at };
  return { model, beside, places: [defined({ conversation, response }), second] };
}

interface Placed {
  /** Null: there is none yet, and the address stays as it is. */
  readonly place: Place | null;
  readonly model: string;
}

/** Keeps the address up with the chats; null: there is no second one. */
export function useAddress(first: Placed, second: Placed | null): void {
  const navigate = useNavigate();
  const { place } = first;
  const beside = second === null ? {} : second.place;
  const search =
    place === null || beside === null
      ? null
      : JSON.stringify({
          ...place,
          model: first.model === "" ? undefined : first.model,
          beside: second?.model,
          beside_at: beside.conversation ?? beside.response,
        });
  useEffect(() => {
    if (search === null) return;
    void navigate({ to: "/playground", search: JSON.parse(search) as PlaygroundSearch, replace: true });
  }, [search, navigate]);
}
