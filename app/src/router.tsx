// Every screen and its URL. A screen's code is loaded with its first visit.
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import { queryClient, sessionQuery } from "./api/queries.ts";
import { HolderLayout } from "./layout/holder-layout.tsx";
import { Layout } from "./layout/layout.tsx";
import { FailedFrame, FailedScreen, UnknownScreen } from "./layout/no-screen.tsx";
import { readAuditSearch } from "./screens/audit/search.ts";
import { readErrorsSearch } from "./screens/errors/search.ts";
import { readPlaygroundSearch, readServiceSearch, readSignInSearch } from "./screens/search.ts";
import { readTurnsView } from "./screens/turns/search.ts";
import { readOwnUsageSearch, readWholeUsageSearch } from "./screens/usage/search.ts";
import { Callback } from "./session/callback.tsx";
import { CALLBACK_PATH } from "./session/callback-query.ts";
import { SignIn } from "./session/sign-in.tsx";

const Account = lazy(() => import("./screens/account/account.tsx"), "Account");
const Errors = lazy(() => import("./screens/errors/errors.tsx"), "Errors");
const AllEvents = lazy(() => import("./screens/events/events.tsx"), "AllEvents");
const Budgets = lazy(() => import("./screens/budgets/budgets.tsx"), "Budgets");
const Key = lazy(() => import("./screens/key/key.tsx"), "Key");
const Keys = lazy(() => import("./screens/keys/keys.tsx"), "Keys");
const Members = lazy(() => import("./screens/members/members.tsx"), "Members");
const Models = lazy(() => import("./screens/models/models.tsx"), "Models");
const OrganizationAudit = lazy(() => import("./screens/audit/audit.tsx"), "OrganizationAudit");
const OrganizationEvents = lazy(() => import("./screens/events/events.tsx"), "OrganizationEvents");
const Organizations = lazy(() => import("./screens/organizations/organizations.tsx"), "Organizations");
const Overview = lazy(() => import("./screens/overview/overview.tsx"), "Overview");
const Playground = lazy(() => import("./screens/playground/playground.tsx"), "Playground");
const Policy = lazy(() => import("./screens/policy/policy.tsx"), "Policy");
const Service = lazy(() => import("./screens/service/service.tsx"), "Service");
const Turn = lazy(() => import("./screens/turns/turn.tsx"), "Turn");
const Turns = lazy(() => import("./screens/turns/turns.tsx"), "Turns");
const Usage = lazy(() => import("./screens/usage/usage.tsx"), "Usage");
const WholeAudit = lazy(() => import("./screens/audit/audit.tsx"), "WholeAudit");
const WholeUsage = lazy(() => import("./screens/usage/usage.tsx"), "WholeUsage");

/** The place of a screen: its parent and its path below that. */
const at = <Parent extends AnyRoute, const Path extends string>(
  parent: Parent,
  path: Path,
  screen: RouteComponent,
) => ({
  getParentRoute: () => parent,
  path,
  component: screen,
});

const root = createRootRoute({ errorComponent: FailedFrame });

/** The routes below it need a session. */
const layout = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) {
      throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { next: location.href } });
    }
    return { session };
  },
  component: Layout,
  errorComponent: FailedFrame,
});

/** The routes below it serve the holder of a key, who may have a session. */
const ofHolders = createRoute({
  getParentRoute: () => root,
  id: "holders",
  beforeLoad: () => queryClient.ensureQueryData(sessionQuery),
  component: HolderLayout,
  errorComponent: FailedFrame,
});

const home = createRoute({
  getParentRoute: () => layout,
  path: "/",
  beforeLoad: ({ context: { session } }) => {
    const { organization } = session;
    if (organization === null) throw redirect({ to: "/organizations" });
    throw redirect({ to: "/organizations/$organizationId/overview", params: { organizationId: organization.id } });
  },
});

const organization = createRoute({ getParentRoute: () => layout, path: "/organizations/$organizationId" });

const routeTree = root.addChildren([
  createRoute({ ...at(root, "/sign-in", SignIn), errorComponent: FailedFrame, validateSearch: readSignInSearch }),
  createRoute({ ...at(root, CALLBACK_PATH, Callback), errorComponent: FailedFrame }),
  ofHolders.addChildren([
    createRoute(at(ofHolders, "/key", Key)),
    createRoute({ ...at(ofHolders, "/playground", Playground), validateSearch: readPlaygroundSearch }),
  ]),
  layout.addChildren([
    home,
    createRoute(at(layout, "/organizations", Organizations)),
    organization.addChildren([
      createRoute(at(organization, "/overview", Overview)),
      createRoute(at(organization, "/keys", Keys)),
      createRoute({ ...at(organization, "/usage", Usage), validateSearch: readOwnUsageSearch }),
      createRoute({ ...at(organization, "/turns", Turns), validateSearch: readTurnsView }),
      createRoute(at(organization, "/turns/$responseId", Turn)),
      createRoute(at(organization, "/budgets", Budgets)),
      createRoute(at(organization, "/members", Members)),
      createRoute(at(organization, "/policy", Policy)),
      createRoute({ ...at(organization, "/errors", Errors), validateSearch: readErrorsSearch }),
      createRoute(at(organization, "/events", OrganizationEvents)),
      createRoute({ ...at(organization, "/audit", OrganizationAudit), validateSearch: readAuditSearch }),
    ]),
    createRoute(at(layout, "/models", Models)),
    createRoute({ ...at(layout, "/service", Service), validateSearch: readServiceSearch }),
    createRoute({ ...at(layout, "/service/usage", WholeUsage), validateSearch: readWholeUsageSearch }),
    createRoute(at(layout, "/service/events", AllEvents)),
    createRoute({ ...at(layout, "/service/audit", WholeAudit), validateSearch: readAuditSearch }),
    createRoute(at(layout, "/account", Account)),
    createRoute(at(layout, "$", UnknownScreen)),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultErrorComponent: FailedScreen,
  defaultPreload: "intent",
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
