// Where a clone keeps the files that its built program reads while it runs (release/clone.ts).
import { installationOfClone } from "./clone.ts";
import type { Installation } from "./installation.ts";

export const installation: Installation = installationOfClone("dist/program/store-thread.cjs");
