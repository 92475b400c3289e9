// Reads turngate.yaml.
import type { ProviderFamily } from "../providers/family.ts";
import { type ConfigFile, configFileSchema } from "./config-schema.ts";
import { readShapedFile, type ShapedFile } from "../../packages/kit/shaped-file.ts";
import type { Variables } from "../../packages/kit/variables.ts";

/** A configuration file of valid shape. */
export interface ReadConfigFile extends Pick<ShapedFile, "name" | "errorAt" | "faultAt"> {
  readonly config: ConfigFile;
}

/** A configuration file before it is read. */
interface ConfigSource {
  readonly name: string;
  readonly text: string;
  /** Values for ${NAME}. */
  readonly variables: Variables;
  readonly families: readonly ProviderFamily[];
}

/** Checks the text of a configuration file. Throws an OperatorError. */
export function readConfigFile({ families, ...source }: ConfigSource): ReadConfigFile {
  const { value, ...file } = readShapedFile({ ...source, schema: configFileSchema(families) });
  return { ...file, config: value as ConfigFile };
}
