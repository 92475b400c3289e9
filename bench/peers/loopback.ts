/** Preloaded into a peer that listens on every interface: in a benchmark it serves this machine only. */
import { Server } from "node:net";

const listen = Server.prototype.listen;

Object.assign(Server.prototype, {
  listen(this: Server, port: unknown, ...rest: unknown[]): unknown {
    // Called as `listen(port, host?, callback)`: the host is put in its place.
    const callback = rest.find((value) => typeof value === "function");
    return Reflect.apply(listen, this, typeof port === "number" ? [port, "127.0.0.1", callback] : [port, ...rest]);
  },
});
