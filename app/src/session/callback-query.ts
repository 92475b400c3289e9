// What the provider of single sign-on sent with the browser. It is read when the app is loaded, before the router, which
// writes a query as it understands it.
export const CALLBACK_PATH = "/sign-in/callback";

const { pathname, search } = window.location;
/** Empty on every other page. */
export const callbackQuery = pathname === CALLBACK_PATH ? search.slice(1) : "";
