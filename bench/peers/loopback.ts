/** Preloaded into a peer that listens on every interface, to bind it to the loopback interface. */
import { Server } from "node:net";

const listen = Server.prototype.listen;

Object.assign(Server.prototype, {
  listen(this: Server, port: unknown, ...rest: unknown[]): unknown {
    // Called as `listen(port, host?, callback)`: inserts the host.
    const callback = rest.find((value) => typeof value === "function");
    return Reflect.apply(listen, this, typeof port === "number" ? [port, "127.0.0.1", callback] : [port, ...rest]);
  },
});
