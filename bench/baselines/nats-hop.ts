/**
 * A program that shows the limit of a gateway and a service in processes of their own: node:http, a radix router, and requests and answers
 * over plain NATS messages that are correlated by hand, with one wildcard inbox and one write for all messages of a turn of
 * the event loop. It is started once as each side.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import findMyWay from "find-my-way";
import { connect, type NatsConnection } from "nats";
import { order, report } from "../program.ts";

/** One side of the hop. */
export interface HopOrder {
	readonly natsUrl: string;
	/** The service answers every request with this JSON; the gateway has none. */
	readonly body?: string;
}

const { natsUrl, body } = order<HopOrder>();
const nats = await connect({ servers: natsUrl });
const waiting: (readonly [subject: string, data: Uint8Array])[] = [];
const asked = "hop.requests";

if (body === undefined) serveHttp(nats);
else serveRequests(nats, Buffer.from(body));

function send(subject: string, data: Uint8Array): void {
	if (waiting.push([subject, data]) === 1) {
		setImmediate(() => {
			for (const [to, message] of waiting.splice(0)) nats.publish(to, message);
		});
	}
}

/** A request is `<inbox> <path>`. */
function serveRequests(client: NatsConnection, answer: Uint8Array): void {
	client.subscribe(asked, {
		callback: (_error, { data }) => {
			const [inbox = ""] = Buffer.from(data).toString("latin1").split(" ", 1);
			send(inbox, answer);
		},
	});
	report({ port: 0 });
}

function serveHttp(client: NatsConnection): void {
	const open = new Map<string, ServerResponse>();
	let last = 0;
	client.subscribe("hop.inbox.*", {
		callback: (_error, { subject, data }) => {
			const response = open.get(subject);
			open.delete(subject);
			response?.writeHead(200, { "Content-Type": "application/json", "Content-Length": data.length }).end(data);
		},
	});
	const router = findMyWay();
	router.on("GET", "/api/v1/svc/sessions/:session_id", (request, response) => {
		const inbox = `hop.inbox.${++last}`;
		open.set(inbox, response);
		send(asked, Buffer.from(`${inbox} ${request.url}`));
	});
	const server = createServer((request, response) => router.lookup(request, response));
	server.listen(0, "127.0.0.1", () => report({ port: (server.address() as AddressInfo).port }));
}
