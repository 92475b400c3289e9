// The name and the version of this process.
import { hostname } from "node:os";
import type { NodeName } from "../flows/gateway.ts";
import { installation } from "../installation/installation.ts";

/** This process among the nodes of a shared store. */
export function nameNode(): NodeName {
  return { name: `${hostname()}:${process.pid}`, version: readVersion() };
}

/** The version in package.json. */
export function readVersion(): string {
  const text = installation.root.readText("package.json");
  return (JSON.parse(text) as { readonly version: string }).version;
}
