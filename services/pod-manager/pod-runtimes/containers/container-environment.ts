/** The variables of the environment of a session's container. */
import { inside } from "./container-request.ts";

/** The port of loopback at which the agent offers the way out (agent/io/socket-bridges.ts). */
const proxy = "http://127.0.0.1:3128";

/** Programs read the names of a proxy in capitals or not. */
export const containerEnvironment = {
	HOME: inside.home,
	TMPDIR: inside.temporary,
	HTTP_PROXY: proxy,
	HTTPS_PROXY: proxy,
	http_proxy: proxy,
	https_proxy: proxy,
	NO_PROXY: "localhost,127.0.0.1,::1",
	no_proxy: "localhost,127.0.0.1,::1",
	NODE_USE_ENV_PROXY: "1",
	// The image has what Node makes of the agent's modules (Dockerfile).
	NODE_COMPILE_CACHE: "/opt/atelier/cache",
};
