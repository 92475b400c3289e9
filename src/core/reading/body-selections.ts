// The parts of each request body that are read. @spec endpoints
import {
  AddItemsBody,
  CreateConversationBody,
  CreateResponseBody,
  REJECTED_FIELDS,
  UpdateConversationBody,
} from "../../contract/requests.ts";
import { mapValues, merge, type Selection, selectionOf, VALUE } from "./scan/selection.ts";

/**
 * POST /responses. Added to the shape: fields that are rejected whenever they are sent, `prompt`, which causes a warning, and
 * those of chat completions, which an error explains.
 */
export const CREATE_RESPONSE_SELECTION: Selection = merge(selectionOf(CreateResponseBody), {
  members: {
    ...mapValues(REJECTED_FIELDS, () => VALUE),
    prompt: VALUE,
    messages: VALUE,
    tools: { elements: { members: { function: VALUE } } },
    tool_choice: { members: { function: VALUE } },
  },
});

/** Added to the shape of items that are added to a conversation: the id of a reference, which an error names. */
const REFERENCES: Selection = { members: { items: { elements: { members: { id: VALUE } } } } };

/** POST /conversations. */
export const CREATE_CONVERSATION_SELECTION: Selection = merge(selectionOf(CreateConversationBody), REFERENCES);

/** POST /conversations/{conversation_id}. */
export const UPDATE_CONVERSATION_SELECTION: Selection = selectionOf(UpdateConversationBody);

/** POST /conversations/{conversation_id}/items. */
export const ADD_ITEMS_SELECTION: Selection = merge(selectionOf(AddItemsBody), REFERENCES);
