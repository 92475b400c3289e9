// The parts of undici that connections to providers need. The whole package costs a start 40 ms of CPU and 10 MB more: its fetch, caches, mocks.
import api from "undici/lib/api/index.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";

// As the package's index does: every dispatcher has these methods, and a ProxyAgent opens its tunnels by one of them.
Object.assign(Dispatcher.prototype, api);

export { Pool, ProxyAgent };
