// Starts the management app.
import "./mantine.css";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./tokens.css";
import "./theme.css";
import "./layout.css";
import "./head.css";
import "./overview.css";
import "./tables.css";
import "./rows.css";
import "./filters.css";
import { createTheme, Drawer, MantineProvider, Modal, PasswordInput } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries.ts";
import { keepFocus } from "./parts/focus.ts";
import { mendBrowserLocale } from "./parts/locale.ts";
import { Said } from "./parts/said.tsx";
import { router } from "./router.tsx";

const theme = createTheme({
  primaryColor: "indigo",
  respectReducedMotion: true,
  components: {
    // Locking the page's scrolling would take a style element, which the page's policy forbids.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, transitionProps: { duration: 0 }, centered: true } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, transitionProps: { duration: 0 }, size: "18rem" } }),
    // Tab reaches the button that shows what is typed.
    PasswordInput: PasswordInput.extend({ defaultProps: { visibilityToggleFocusable: true } }),
  },
});

mendBrowserLocale();
keepFocus();

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no element for the app.");
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Said />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
