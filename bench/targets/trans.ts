/** TRANS: translates and stores nothing, the translating limit. */
import { serveTranslation } from "./translate.ts";

serveTranslation((_turn, tell) => tell());
