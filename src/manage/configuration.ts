// The configuration of the node that answers, and how its providers do. docs/management.md (Providers and
// configuration)
import Type from "typebox";
import { invalidInput } from "../contract/errors.ts";
import { FAILURE_CODES } from "../contract/failures.ts";
import { ShownConfiguration } from "../contract/manage/configuration.ts";
import { PROVIDER_WINDOW_MINUTES } from "../contract/manage/limits.ts";
import { OPERATOR } from "../contract/manage/roles.ts";
import { seconds, time } from "../contract/manage/resource-fields.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { providersOf } from "../core/models/catalog.ts";
import { namesOfTargets } from "../core/models/targets.ts";
import type { CircuitState } from "../flows/providers/circuits.ts";
import { reloadConfiguration as reload } from "../flows/accounts/reload-configuration.ts";
import { secondsOf } from "../ports/clock.ts";
import { ConfigurationError } from "../ports/configuration.ts";
import { list } from "./fields.ts";
import { serviceOperation, type Subject } from "./definition/operation.ts";

const ProviderHealth = Type.Object({
  name: Type.String(),
  type: Type.String(),
  models: Type.Integer({ description: "models of the catalog that it serves" }),
  targets: Type.Array(
    Type.Object({
      target: Type.String({ description: "`svc:target`" }),
      state: oneOf(["closed", "open", "half_open"]),
      rests_for_seconds: Type.Integer({ description: "0 when it is not resting" }),
      failures: Type.Integer({ description: "consecutive failures" }),
    }),
    { description: "The targets of models that it serves, as the answering node judges them." },
  ),
  last_success_at: orNull(seconds),
  last_failure: orNull(
    Type.Object({
      at: seconds,
      code: oneOf(FAILURE_CODES),
      status: orNull(Type.Integer({ description: "of the provider's HTTP response" })),
      request_id: orNull(Type.String({ description: "the provider's own" })),
    }),
  ),
  recent: Type.Object(
    {
      calls: Type.Integer(),
      failures: Type.Integer(),
      by_code: Type.Array(Type.Object({ code: oneOf(FAILURE_CODES), failures: Type.Integer() })),
    },
    { description: `The last ${PROVIDER_WINDOW_MINUTES} minutes.` },
  ),
});

function presentCircuit(target: string, { state, restsForMs, failures }: CircuitState) {
  return { target, state, rests_for_seconds: Math.ceil(restsForMs / 1000), failures };
}

const listProviders = serviceOperation({
  route: "GET /providers",
  roles: OPERATOR,
  summary: "Show the state of the providers",
  description:
    "From the calls of turns on the answering node since its start; no provider is called. Each attempt counts, a cancelled call does not.",
  output: { ProviderHealthList: list(ProviderHealth) },
  async run({ services: { configuration, healthOf, modelSet, capacity } }) {
    const { models } = modelSet().catalog;
    const data = configuration.show().providers.map(({ name, type }) => {
      const { lastSuccessAtMs, lastFailure, calls, failures } = healthOf(name);
      return {
        name,
        type,
        models: models.filter((model) => providersOf(model).includes(name)).length,
        targets: namesOfTargets(models)
          .filter((target) => target.startsWith(`${name}/`))
          .map((target) => presentCircuit(target, capacity.circuits.stateOf(target))),
        last_success_at: lastSuccessAtMs === null ? null : secondsOf(lastSuccessAtMs),
        last_failure:
          lastFailure === null
            ? null
            : {
                at: secondsOf(lastFailure.atMs),
                code: lastFailure.code,
                status: lastFailure.status,
                request_id: lastFailure.requestId,
              },
        recent: {
          calls,
          failures: failures.reduce((sum, { count }) => sum + count, 0),
          by_code: failures.map(({ code, count }) => ({ code, failures: count })),
        },
      };
    });
    return { data };
  },
});

const CheckedKey = Type.Object({
  position: orNull(
    Type.Integer({
      description: "the key's position among the provider's keys, from 1; null: the provider has no key",
    }),
  ),
  ok: Type.Boolean(),
  detail: Type.String({ description: "what was found, in words; never a key" }),
  duration_ms: Type.Integer({ description: "duration of the check" }),
});

const ProviderCheck = Type.Object({
  checked_at: time("when the check ended, Unix seconds"),
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String(),
      ok: Type.Boolean({ description: "every key works" }),
      keys: Type.Array(CheckedKey),
    }),
    { description: "In the order of the configuration." },
  ),
});

/** Nothing is changed by it, so it has no entry in the audit log; the log has who asked. */
const checkProviders = serviceOperation({
  route: "POST /providers/check",
  roles: OPERATOR,
  summary: "Check that the providers reply and accept their keys",
  description:
    "The node that answers asks each configured provider with each of its keys for its models, as `turngate doctor` does: 5 seconds at most for each. It changes nothing and has no entry in the audit log. A request during a check gets its result.",
  output: { ProviderCheck },
  errors: ["rate_limit_exceeded"],
  async run({ services }) {
    const { atMs, providers } = await services.checkProviders();
    return {
      checked_at: secondsOf(atMs),
      data: providers.map(({ name, type, keys }) => ({
        name,
        type,
        ok: keys.every(({ isOk }) => isOk),
        keys: keys.map(({ position, isOk: ok, detail, durationMs }) => ({
          position,
          ok,
          detail,
          duration_ms: durationMs,
        })),
      })),
    };
  },
});

const showConfiguration = serviceOperation({
  route: "GET /configuration",
  roles: OPERATOR,
  summary: "Show the configuration in force, without its secrets",
  description: "That of the node that answers. Of an address it shows scheme, host and port.",
  command: {
    words: "config show",
    help: "show the configuration that a start here would use, or a running service's, without secrets",
    whenEmpty: "No provider is on.",
  },
  output: { Configuration: ShownConfiguration },
  run: async ({ services }) => services.configuration.show(),
});

const ConfigurationChanges = Type.Object({
  changed: Type.Array(Type.String(), {
    description: "the settings that now apply to new turns, such as `providers.NAME` and `models.ID`",
  }),
  needs_restart: Type.Array(Type.String(), {
    description: "settings that differ and need a restart",
  }),
  warnings: Type.Array(Type.String(), { description: "settings that are valid but rarely intended" }),
});

const reloadConfiguration = serviceOperation({
  route: "POST /configuration/reload",
  roles: OPERATOR,
  summary: "Read the configuration again",
  description:
    "Models, prices and providers change for new turns of this process. An invalid configuration changes nothing: 400, with the place and what is allowed.",
  output: { ConfigurationChanges },
  async run({ services, by }) {
    const { changed, needsRestart, warnings } = await reload(services, by).catch((error: unknown) => {
      if (error instanceof ConfigurationError)
        throw invalidInput(null, `The configuration is invalid: ${error.message}`);
      throw error;
    });
    services.onReload();
    return { changed: [...changed], needs_restart: [...needsRestart], warnings: [...warnings] };
  },
});

export const CONFIGURATION = {
  tag: "Platform",
  about: "the configuration: turngate.yaml and the environment",
  operations: { listProviders, checkProviders, showConfiguration, reloadConfiguration },
} as const satisfies Subject;
