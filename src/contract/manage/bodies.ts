// Bodies and queries of the management interface. Closed: a field that is not named is refused, since a mistyped one would change less,
// or more, than was meant. The shape decides the kind of a value, the flows what it may be.
import Type, { type Static, type TSchema } from "typebox";
import { oneOf } from "../one-of.ts";
import { BUDGET_PERIODS, BUDGET_SCOPES, CREDITS_MAX, USAGE_GROUPINGS } from "../spending.ts";
import { GRACE_SECONDS, type Grace, KEY_PERMISSIONS } from "./keys.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX } from "./limits.ts";
import { AUDIT_HEAD_PATTERN, TRANSACTION_ID_PATTERN } from "./patterns.ts";
import { MEMBER_ROLES } from "./roles.ts";
import type { ManageOperation } from "./routes.ts";

const closed = { additionalProperties: false } as const;
const text = (description: string, maxLength: number = NAME_CHARACTERS_MAX) =>
  Type.String({ minLength: 1, maxLength, description });
const password = (description: string) => text(description, PASSWORD_CHARACTERS_MAX);
/** A whole number, or null for none of its own. */
const countOrNull = (minimum: number, description: string) =>
  Type.Optional(Type.Union([Type.Integer({ minimum, maximum: 1_000_000_000 }), Type.Null()], { description }));
const credits = (description: string, exclusiveMinimum?: number) =>
  Type.Number({
    ...(exclusiveMinimum === undefined ? { minimum: 0 } : { exclusiveMinimum }),
    maximum: CREDITS_MAX,
    description,
  });

const GRACES = Object.keys(GRACE_SECONDS) as Grace[];

const SignInBody = Type.Object(
  {
    email: text("the e-mail address"),
    password: password("the password"),
    organization: Type.Optional(
      text("the organization, by id or name; needed by who is a member of several organizations"),
    ),
  },
  closed,
);
const RedeemBody = Type.Object(
  { secret: text("the secret of the sign-in link"), password: password("the new password, 12 characters or more") },
  closed,
);
const ChangePasswordBody = Type.Object(
  { current_password: password("the password so far"), new_password: password("the new one, 12 characters or more") },
  closed,
);
const NameBody = Type.Object({ name: text("the name of the organization, of its own") }, closed);
const AddMemberBody = Type.Object({ email: text("the person's e-mail address"), role: oneOf(MEMBER_ROLES) }, closed);
const RoleBody = Type.Object({ role: oneOf(MEMBER_ROLES) }, closed);
const CreateKeyBody = Type.Object(
  {
    name: text("what the key is for, 3 characters or more"),
    member: Type.Optional(text("the member whose key it is, by id or e-mail address")),
    permissions: Type.Optional(oneOf(KEY_PERMISSIONS)),
  },
  closed,
);
const RotateKeyBody = Type.Object({ grace: Type.Optional(oneOf(GRACES)) }, closed);
const AddCreditsBody = Type.Object(
  {
    amount: credits("how many credits, down to a millionth", 0),
    transaction_id: Type.Optional(
      Type.String({
        pattern: TRANSACTION_ID_PATTERN,
        description: "a name of yours for this top-up: repeated with the same amount it adds nothing more",
      }),
    ),
  },
  closed,
);
const budgetName = {
  scope: oneOf(BUDGET_SCOPES),
  id: Type.Optional(text("which key, by id, or which member, by id or e-mail address")),
  period: Type.Optional(oneOf(BUDGET_PERIODS)),
};
const SetBudgetBody = Type.Object(
  { ...budgetName, limit: credits("how many credits, 0 or more, down to a millionth") },
  closed,
);
const ClearBudgetBody = Type.Object(budgetName, closed);
const modelIds = Type.Array(
  text("a model, by its id or bare form; a whole id is taken even when the catalog has no such model (yet)"),
  { maxItems: 500 },
);
const SetPolicyBody = Type.Object(
  {
    allow_models: Type.Optional(
      Type.Union([modelIds, Type.Null()], { description: "these models and no other; null: every model" }),
    ),
    deny_models: Type.Optional(modelIds),
    tool_calls_per_turn: countOrNull(0, "most tool calls of a turn; null: no limit"),
  },
  { ...closed, description: "What is given is set, the rest stays." },
);
const SetLimitsBody = Type.Object(
  {
    create_per_minute: countOrNull(1, "requests a minute that create; null: the service's limit"),
    retrieve_per_minute: countOrNull(1, "requests a minute that retrieve; null: the service's limit"),
    delete_per_minute: countOrNull(1, "requests a minute that delete or cancel; null: the service's limit"),
    open_streams: countOrNull(0, "streams held open at once; null: the service's limit"),
  },
  { ...closed, description: "What is given is set, the rest stays." },
);
const CreateTokenBody = Type.Object(
  { name: text("what the token is for, 3 characters or more"), role: oneOf(MEMBER_ROLES) },
  closed,
);
const CreateOperatorTokenBody = Type.Object({ name: text("what the token is for, 3 characters or more") }, closed);
const EraseBody = Type.Object(
  {
    older_than_days: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100_000, description: "deleted at least so many days ago" }),
    ),
  },
  closed,
);

/** How a body is read. */
export interface BodyRule<Shape extends TSchema = TSchema> {
  /** Name of the component. */
  readonly name: string;
  readonly shape: Shape;
  readonly presence: "required" | "optional";
}

function body<Shape extends TSchema>(
  name: string,
  shape: Shape,
  presence: BodyRule["presence"] = "required",
): BodyRule<Shape> {
  return { name, shape, presence };
}

/** The bodies that are read; every other operation reads none. */
export const MANAGE_BODIES = {
  signIn: body("SignInBody", SignInBody),
  redeemSignInLink: body("RedeemBody", RedeemBody),
  changePassword: body("ChangePasswordBody", ChangePasswordBody),
  createOrganization: body("NameBody", NameBody),
  renameOrganization: body("NameBody", NameBody),
  addMember: body("AddMemberBody", AddMemberBody),
  setMemberRole: body("RoleBody", RoleBody),
  createKey: body("CreateKeyBody", CreateKeyBody),
  rotateKey: body("RotateKeyBody", RotateKeyBody, "optional"),
  addCredits: body("AddCreditsBody", AddCreditsBody),
  setBudget: body("SetBudgetBody", SetBudgetBody),
  clearBudget: body("ClearBudgetBody", ClearBudgetBody),
  setPolicy: body("SetPolicyBody", SetPolicyBody),
  setLimits: body("SetLimitsBody", SetLimitsBody),
  createToken: body("CreateTokenBody", CreateTokenBody),
  createOperatorToken: body("CreateOperatorTokenBody", CreateOperatorTokenBody),
  eraseDeleted: body("EraseBody", EraseBody, "optional"),
} as const satisfies Partial<Record<ManageOperation, BodyRule>>;

/** What a checked body of an operation is; undefined where none is read. */
export type BodyOf<Operation extends ManageOperation> = Operation extends keyof typeof MANAGE_BODIES
  ? Static<(typeof MANAGE_BODIES)[Operation]["shape"]>
  : undefined;

/** Query parameters by the operation that reads them; every other one is refused. All are texts, read by the flows. */
export const MANAGE_QUERIES: Readonly<Partial<Record<ManageOperation, Readonly<Record<string, TSchema>>>>> = (() => {
  const day = (description: string) =>
    Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: `a UTC day as YYYY-MM-DD: ${description}` });
  const page = {
    limit: Type.Integer({ minimum: 1, maximum: AUDIT_PAGE_MAX, default: AUDIT_PAGE_DEFAULT }),
    before: Type.Integer({ minimum: 1, description: "the id of an entry: the page starts behind it, with older ones" }),
  };
  return {
    readUsage: {
      by: Type.Unsafe({ ...oneOf(USAGE_GROUPINGS), description: "a row for each; one row for all when not given" }),
      from: day("the first"),
      to: day("the last"),
    },
    listAudit: page,
    listAllAudit: page,
    verifyAudit: {
      head: Type.String({
        pattern: AUDIT_HEAD_PATTERN,
        description: "the head of an earlier check, looked for in the log",
      }),
    },
    reconcile: { organization_id: Type.String({ description: "only this organization" }) },
  };
})();
