/** A collector of traces on loopback, which checks each request against the JSON form of OTLP (opentelemetry-proto 1). */
import { createServer, type Server } from "node:http";
import { z } from "zod";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../machine/loopback-server.ts";

const value = z.union([
	z.strictObject({ stringValue: z.string() }),
	z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const span = z.strictObject({
	traceId: z.string().regex(/^[0-9a-f]{32}$/),
	spanId: z.string().regex(/^[0-9a-f]{16}$/),
	parentSpanId: z
		.string()
		.regex(/^[0-9a-f]{16}$/)
		.optional(),
	name: z.string().min(1),
	kind: z.number().int().min(1).max(5),
	startTimeUnixNano: z.string().regex(/^\d{19}$/),
	endTimeUnixNano: z.string().regex(/^\d{19}$/),
	attributes,
	status: z.strictObject({ code: z.literal(2) }).optional(),
});
const request = z.strictObject({
	resourceSpans: z.array(
		z.strictObject({
			resource: z.strictObject({ attributes }),
			scopeSpans: z.array(z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(span) })),
		}),
	),
});

/** A received step, with the service that sent it. */
export type ReceivedSpan = z.infer<typeof span> & { readonly service: string };

/** The collector of one test. */
export class OtlpSink implements AsyncDisposable {
	readonly spans: ReceivedSpan[] = [];
	/** The sentences about requests that are not in order. */
	readonly mistakes: string[] = [];
	/** The bodies as they came. */
	text = "";
	readonly #server: Server;

	private constructor() {
		this.#server = createServer((incoming, response) => {
			const chunks: Buffer[] = [];
			incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
			incoming.on("end", () => {
				this.#take(`${incoming.method} ${incoming.url}`, Buffer.concat(chunks).toString());
				response.writeHead(200, { "content-type": "application/json" }).end("{}");
			});
		});
	}

	static async open(): Promise<OtlpSink> {
		const sink = new OtlpSink();
		await listenOnLoopback(sink.#server);
		return sink;
	}

	get url(): string {
		return loopbackUrl(this.#server);
	}

	#take(line: string, body: string): void {
		this.text += body;
		if (line !== "POST /v1/traces") this.mistakes.push(`"${line}" is no export`);
		const { success, data, error } = request.safeParse(JSON.parse(body));
		if (!success) {
			this.mistakes.push(String(error));
			return;
		}
		for (const { resource, scopeSpans } of data.resourceSpans) {
			const named = resource.attributes.find(({ key }) => key === "service.name")?.value;
			const service = named && "stringValue" in named ? named.stringValue : "";
			for (const { spans } of scopeSpans) this.spans.push(...spans.map((one) => ({ ...one, service })));
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}
}
