/** Ways to make a WebSocket outside of the one place for it, and what is allowed. */
import { importing, imports } from "./importing.ts";

const places = [
	"services/stream/chat/sockets.ts",
	"services/stream/sockets.service.ts",
	"host/sockets.ts",
	"shared/net/http/sockets.ts",
	"agent/server/sockets.ts",
	"agent/sockets.ts",
	"cli/sockets.ts",
];

const ways = { one: "{ WebSocket as x }", server: "{ WebSocketServer as x }", all: "* as x", whole: "x" };

export const plantedSockets = places.flatMap((place) =>
	Object.entries(ways).map(([name, names]) => ({
		file: place.replace("sockets", `socket-${name}`),
		source: importing("ws", names),
		rule: imports,
		says: "shared/net/http/websockets.ts",
	})),
);

/** The types of the library may be used everywhere. */
export const allowedSockets: Record<string, string> = {
	"shared/net/http/websockets.ts": importing("ws", "{ WebSocket as x }"),
	"agent/server/socket-type.ts": `import type { WebSocket } from "ws";\nexport type Y = WebSocket;\n`,
	"services/stream/chat/socket-type.ts": `import { type WebSocket } from "ws";\nexport type Y = WebSocket;\n`,
};
