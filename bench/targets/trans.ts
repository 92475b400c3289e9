/** TRANS: translates and stores nothing: the limit for translating gateways. */
import { serveTranslation } from "./translate.ts";

serveTranslation((_turn, tell) => tell());
