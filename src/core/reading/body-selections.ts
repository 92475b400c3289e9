// The parts of each request body that are read. @spec endpoints
import {
  AddItemsBody,
  CreateConversationBody,
  CreateResponseBody,
  UpdateConversationBody,
} from "../../contract/requests.ts";
import { merge, type Selection, selectionOf, VALUE } from "./scan/selection.ts";

/**
 * POST /responses. Added to the shape: fields that are rejected whenever they are sent, `prompt`, which causes a warning, and
 * those of chat completions, which an error explains.
 */
export const CREATE_RESPONSE_SELECTION: Selection = merge(selectionOf(CreateResponseBody), {
  members: {
    prompt: VALUE,
    reasoning: VALUE,
    starting_after: VALUE,
    top_logprobs: VALUE,
    messages: VALUE,
    tools: { elements: { members: { function: VALUE } } },
    tool_choice: { members: { function: VALUE } },
  },
});

/** POST /conversations. */
export const CREATE_CONVERSATION_SELECTION: Selection = selectionOf(CreateConversationBody);

/** POST /conversations/{conversation_id}. */
export const UPDATE_CONVERSATION_SELECTION: Selection = selectionOf(UpdateConversationBody);

/** POST /conversations/{conversation_id}/items. */
export const ADD_ITEMS_SELECTION: Selection = selectionOf(AddItemsBody);
