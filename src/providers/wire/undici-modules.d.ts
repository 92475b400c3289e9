// Types of the modules that src/providers/wire/undici.ts loads by themselves.
declare module "undici/lib/api/index.js" {
  const methods: Readonly<Record<string, unknown>>;
  export default methods;
}
declare module "undici/lib/dispatcher/dispatcher.js" {
  export { Dispatcher as default } from "undici";
}
declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}
declare module "undici/lib/dispatcher/proxy-agent.js" {
  export { ProxyAgent as default } from "undici";
}
