// Every screen and its URL. A screen's code is loaded with its first visit.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queryClient, sessionQuery } from "./api/queries.ts";
import { Layout } from "./layout/layout.tsx";
import { FailedScreen, UnknownScreen } from "./layout/no-screen.tsx";
import { readAuditSearch } from "./screens/audit/search.ts";
import { readRejectionsSearch, readSignInSearch } from "./screens/search.ts";
import { readTurnsView } from "./screens/turns/search.ts";
import { readOwnUsageSearch, readWholeUsageSearch } from "./screens/usage/search.ts";
import { Callback } from "./session/callback.tsx";
import { CALLBACK_PATH } from "./session/callback-query.ts";
import { SignIn } from "./session/sign-in.tsx";

const root = createRootRoute({ notFoundComponent: UnknownScreen, errorComponent: FailedScreen });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: readSignInSearch,
  component: SignIn,
});

const callback = createRoute({ getParentRoute: () => root, path: CALLBACK_PATH, component: Callback });

/** The page for the holder of an API key, who needs no session. */
const key = createRoute({
  getParentRoute: () => root,
  path: "/key",
  component: lazyRouteComponent(() => import("./screens/key/key.tsx"), "Key"),
});

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
  signIn,
  callback,
  key,
  layout.addChildren([
    home,
    createRoute({
      getParentRoute: () => layout,
      path: "/organizations",
      component: lazyRouteComponent(() => import("./screens/organizations/organizations.tsx"), "Organizations"),
    }),
    organization.addChildren([
      createRoute({
        getParentRoute: () => organization,
        path: "/overview",
        component: lazyRouteComponent(() => import("./screens/overview/overview.tsx"), "Overview"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/keys",
        component: lazyRouteComponent(() => import("./screens/keys/keys.tsx"), "Keys"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/usage",
        validateSearch: readOwnUsageSearch,
        component: lazyRouteComponent(() => import("./screens/usage/usage.tsx"), "Usage"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/turns",
        validateSearch: readTurnsView,
        component: lazyRouteComponent(() => import("./screens/turns/turns.tsx"), "Turns"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/turns/$responseId",
        component: lazyRouteComponent(() => import("./screens/turns/turn.tsx"), "Turn"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/budgets",
        component: lazyRouteComponent(() => import("./screens/budgets/budgets.tsx"), "Budgets"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/members",
        component: lazyRouteComponent(() => import("./screens/members/members.tsx"), "Members"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/policy",
        component: lazyRouteComponent(() => import("./screens/policy/policy.tsx"), "Policy"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/rejections",
        validateSearch: readRejectionsSearch,
        component: lazyRouteComponent(() => import("./screens/rejections/rejections.tsx"), "Rejections"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/events",
        component: lazyRouteComponent(() => import("./screens/events/events.tsx"), "OrganizationEvents"),
      }),
      createRoute({
        getParentRoute: () => organization,
        path: "/audit",
        validateSearch: readAuditSearch,
        component: lazyRouteComponent(() => import("./screens/audit/audit.tsx"), "OrganizationAudit"),
      }),
    ]),
    createRoute({
      getParentRoute: () => layout,
      path: "/models",
      component: lazyRouteComponent(() => import("./screens/models/models.tsx"), "Models"),
    }),
    createRoute({
      getParentRoute: () => layout,
      path: "/playground",
      component: lazyRouteComponent(() => import("./screens/playground/playground.tsx"), "Playground"),
    }),
    createRoute({
      getParentRoute: () => layout,
      path: "/service",
      component: lazyRouteComponent(() => import("./screens/service/service.tsx"), "Service"),
    }),
    createRoute({
      getParentRoute: () => layout,
      path: "/service/usage",
      validateSearch: readWholeUsageSearch,
      component: lazyRouteComponent(() => import("./screens/usage/usage.tsx"), "WholeUsage"),
    }),
    createRoute({
      getParentRoute: () => layout,
      path: "/service/events",
      component: lazyRouteComponent(() => import("./screens/events/events.tsx"), "AllEvents"),
    }),
    createRoute({
      getParentRoute: () => layout,
      path: "/service/audit",
      validateSearch: readAuditSearch,
      component: lazyRouteComponent(() => import("./screens/audit/audit.tsx"), "WholeAudit"),
    }),
    createRoute({
      getParentRoute: () => layout,
      path: "/account",
      component: lazyRouteComponent(() => import("./screens/account/account.tsx"), "Account"),
    }),
  ]),
]);

export const router = createRouter({ routeTree, defaultPreload: "intent", scrollRestoration: false });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
