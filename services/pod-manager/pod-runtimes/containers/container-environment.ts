/** The variables of the environment of a session's container. */
import { doorWays } from "#shared/wire/pod/door/door-sockets.ts";
import { inside } from "./container-request.ts";

/** The agent offers the way out there (agent/io/socket-bridges.ts). */
const proxy = doorWays.egress.url;

/** Programs read the names of a proxy in capitals or not. */
export const containerEnvironment = {
	HOME: inside.home,
	USER: "agent",
	LOGNAME: "agent",
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
