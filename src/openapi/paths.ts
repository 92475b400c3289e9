// Turns a route table into the paths of an OpenAPI document.
import type { JsonSchema } from "./json.ts";

/** Operations by path and method. */
export type Paths = Record<string, Record<string, OperationObject>>;

/** An operation of the document. */
export interface OperationObject {
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly [field: string]: unknown;
}

/** The part of a route that places it; parameters are `:name` in its path. */
interface PlacedRoute {
  readonly method: string;
  readonly path: string;
}

const PATH_PARAMETER = /:(\w+)/g;

/** The paths of a route table in its order; `describe` builds the operation of a route. */
export function buildPaths<Route extends PlacedRoute>(
  routes: readonly Route[],
  describe: (route: Route) => OperationObject,
): Paths {
  const paths: Paths = {};
  for (const route of routes) {
    const path = route.path.replace(PATH_PARAMETER, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route) };
  }
  return paths;
}

/** The parameters of a route's path. */
export function pathParameters({ path }: Pick<PlacedRoute, "path">): JsonSchema[] {
  return [...path.matchAll(PATH_PARAMETER)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}
