/**
 * Shows operators whether one process lives, whether it can work, and its metrics. A listener of its
 * own answers, because most processes have no gateway, and because nobody outside is to see this.
 */
import { bound } from "#shared/base/bounds.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Config } from "#shared/config/config.ts";
import { ServiceError } from "#shared/base/errors.ts";
import { openHttpServer, urlOf } from "#shared/net/http/http-server.ts";
import { isLoopback } from "#shared/base/hosts/loopback.ts";
import { OriginGuard } from "#shared/net/http/origin-guard.ts";
import { failureOf, healthText, Readiness } from "./readiness.ts";
import { exposition, expositionType } from "#shared/telemetry/metrics/exposition.ts";
import { ProcessMetrics } from "#shared/telemetry/metrics/process-metrics.ts";
import type { Platform, ReadinessCheck } from "./platform.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { StartWait } from "./start-wait.ts";

/** The lag of the event loop from which a process counts as dead, in milliseconds; a supervisor restarts it. */
const deadLagMs = 5_000;

interface OpsSubject extends Pick<Platform, "metrics" | "readiness" | "shortcomings"> {
	readonly config: Pick<Config, "ops">;
	/** The start of the process, which is a check too. */
	readonly start: StartWait;
}

interface Page {
	readonly status: number;
	readonly type: string;
	readonly body: string;
}

/** The view of one process. The process opens it first and closes it last. */
export class ProcessOps {
	readonly #subject: OpsSubject;
	readonly #process: ProcessMetrics;
	readonly #readiness: Readiness;
	/** Readers at the same time share a reading, which asks the store. */
	readonly #scrapes: SingleFlight<string>;
	#server: Server | undefined;

	constructor(subject: OpsSubject) {
		const { metrics, readiness, start } = subject;
		this.#subject = subject;
		this.#process = new ProcessMetrics(metrics);
		this.#readiness = new Readiness(readiness);
		this.#scrapes = new SingleFlight(() => exposition(metrics));
		metrics.sample("atelier_ready", () => readySamples(new Map([["start", start.check], ...readiness])));
	}

	/**
	 * Begins to listen if the configuration says where. @returns The address; undefined when nothing listens.
	 * @throws {ConfigError} when the address cannot be used.
	 */
	async listen(): Promise<string | undefined> {
		const { host, port } = this.#subject.config.ops;
		if (port === undefined) return undefined;
		let guard: OriginGuard | undefined;
		const keys = "ops.host and ops.port";
		const server = await openHttpServer(
			{ host, port, maxConnections: bound.opsConnections, keys },
			(request, response) => {
				void this.#answer(request, response, guard);
			},
		);
		this.#server = server;
		const url = urlOf(host, server);
		guard = new OriginGuard({
			host,
			port: Number(new URL(url).port || 80),
			publicUrl: "",
			allowedHosts: [],
			allowedOrigins: [],
			checksHost: isLoopback(host),
		});
		return url;
	}

	/** Makes `/ready` report that the process is ending. */
	drain(): void {
		this.#readiness.drain();
	}

	close(): void {
		this.#process.stop();
		this.#server?.close();
		this.#server?.closeAllConnections();
	}

	async #answer(request: IncomingMessage, response: ServerResponse, guard: OriginGuard | undefined): Promise<void> {
		const { status, type, body } = await this.#page(request, guard).catch(failurePage);
		if (response.destroyed) return;
		response.writeHead(status, {
			"Content-Type": type,
			"Content-Length": Buffer.byteLength(body),
			"Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff",
			// A body that nobody reads may not be taken for the next request.
			...(!request.complete && { Connection: "close" }),
		});
		response.end(request.method === "HEAD" ? "" : body);
	}

	async #page({ method, url = "", headers }: IncomingMessage, guard: OriginGuard | undefined): Promise<Page> {
		guard?.check(headers, url);
		if (method !== "GET" && method !== "HEAD") return sentence(405, "Method Not Allowed");
		switch (url) {
			case "/health":
				return this.#health();
			case "/ready":
				return this.#ready();
			case "/metrics":
				return { status: 200, type: expositionType, body: await this.#scrapes.join() };
			default:
				return sentence(404, "Not Found");
		}
	}

	#health(): Page {
		const lag = Math.round(this.#process.lagMs);
		if (lag >= deadLagMs) return sentence(503, `The event loop was late by ${lag} ms`);
		return json(200, healthText(this.#subject.shortcomings));
	}

	async #ready(): Promise<Page> {
		const missing = await this.#readiness.missing();
		const waiting = await failureOf("start", this.#subject.start.check);
		if (waiting !== undefined) missing.unshift(waiting);
		if (missing.length > 0) return sentence(503, `Not ready: ${missing.join("; ")}`);
		return json(200, JSON.stringify({ status: "ready" }));
	}
}

async function readySamples(checks: ReadonlyMap<string, ReadinessCheck>) {
	return Promise.all(
		[...checks].map(async ([name, check]) => ({
			labels: [name],
			value: (await failureOf(name, check, readyMs)) === undefined ? 1 : 0,
		})),
	);
}

/** The time of a check for the metrics, in milliseconds; the value has to be there within a second. */
const readyMs = 800;

function sentence(status: number, detail: string): Page {
	return json(status, JSON.stringify({ detail }));
}

function json(status: number, body: string): Page {
	return { status, type: "application/json", body };
}

function failurePage(error: unknown): Page {
	if (error instanceof ServiceError) return sentence(error.code, error.message);
	return sentence(500, "Internal Server Error");
}
