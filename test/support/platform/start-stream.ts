/** Starts the real stream behind the real gateway, over a log and sessions that a test writes. */
import type { ServiceSchema } from "moleculer";
import type { Principal } from "#shared/base/principal.ts";
import { implement } from "#shared/bus/service.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { stream as contract } from "#shared/contracts/stream.ts";
import { type Stats, usage } from "#shared/contracts/sessions/usage.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { EventStream, type EventStreamDependencies } from "#services/stream/event-stream.ts";
import { streamService } from "#services/stream/stream.service.ts";
import { MemoryEventLog } from "../stores/memory-event-log.ts";
import { SseClient, type SseOptions } from "../clients/sse-client.ts";
import { readableId, sealedId, testIds } from "../clients/test-ids.ts";
import { startGateway, type TestGateway } from "./start-gateway.ts";

export const streamPath = "/api/v1/svc/sessions/stream";

/** The other services that the stream calls. */
class StreamNeighbours {
	sessions: readonly Session[] = [];
	/** Called at the beginning of every list. */
	onList: () => void = () => {};
	isDown = false;
	/** The principals whose statistics were requested. */
	readonly statsFor: Principal[] = [];
	stats: Stats = {
		active_sessions: 1,
		total_sessions: 2,
		tokens_today: 3,
		local_tokens: 0,
		cloud_tokens: 3,
		cost_today: 0.5,
	};

	services(): ServiceSchema[] {
		const { list } = sessions.actions;
		const { stats } = usage.actions;
		return [
			{
				name: sessions.name,
				actions: implement(
					{ name: sessions.name, actions: { list } },
					{
						list: async ({ limit, cursor = "0" }) => {
							this.onList();
							this.#refuse();
							const end = Number(cursor) + limit;
							const items = this.sessions.slice(Number(cursor), end);
							return { items, ...(end < this.sessions.length && { next: String(end) }) };
						},
					},
				),
			},
			{
				name: usage.name,
				actions: implement(
					{ name: usage.name, actions: { stats } },
					{
						stats: async (_params, principal) => {
							this.#refuse();
							this.statsFor.push(principal);
							return this.stats;
						},
					},
				),
			},
		];
	}

	#refuse(): void {
		if (this.isDown) throw new UnavailableError("Not now");
	}
}

export interface StreamOptions extends Partial<EventStreamDependencies> {
	nodes?: 1 | 2;
	/** The log before the stream starts. */
	log?: MemoryEventLog;
	/** A service that replaces the log. */
	logService?: ServiceSchema;
}

export interface TestStream {
	readonly log: MemoryEventLog;
	readonly neighbours: StreamNeighbours;
	readonly gateway: TestGateway;
	readonly stream: EventStream;
	/** Opens a client, as `dev-user` unless its headers say otherwise. Its ids are readable: `<epoch>-<number>`. */
	open(options?: SseOptions): Promise<SseClient>;
	stop(): Promise<void>;
}

/** Starts the stream with hints; heartbeats are sent once an hour unless the options say otherwise. */
export async function startStream(options: StreamOptions = {}): Promise<TestStream> {
	const { nodes = 1, log = new MemoryEventLog(), logService = log.service(), ...given } = options;
	const neighbours = new StreamNeighbours();
	const made: EventStream[] = [];
	const gateway = await startGateway({
		nodes,
		contracts: [contract],
		services: [logService, ...neighbours.services()],
		prepare({ rawHandlers, readiness }) {
			const stream = new EventStream({ heartbeatMs: 3_600_000, maxClients: 2_000, ids: testIds, ...given });
			made.push(stream);
			rawHandlers.set(contract.actions.open.name, (...exchange) => stream.open(...exchange));
			readiness.set("event log", () => stream.check());
			return { services: [streamService(stream)], drain: () => stream.drain() };
		},
	});
	const [stream] = made;
	if (!stream) throw new Error("The gateway did not ask for the stream");
	log.hints = gateway.broker;
	return {
		log,
		neighbours,
		gateway,
		stream,
		open: ({ lastEventId, ...sse } = {}) =>
			SseClient.open(`http://${gateway.host}${streamPath}`, {
				...sse,
				...(lastEventId !== undefined && { lastEventId: sealedId(lastEventId) }),
				readId: readableId,
			}),
		stop: () => gateway.stop(),
	};
}

/** Makes an ordinary session. */
export function sampleSession(n: number): Session {
	const time = new Date(1_700_000_000_000 + n).toISOString();
	return {
		id: `6f1b2c3d-0000-4000-8000-${String(n).padStart(12, "0")}`,
		name: `session-${n}`,
		model: "",
		agent: "builtin",
		source: { type: "git", repo: "https://git.example/a/b", branch: "main", base_branch: "" },
		repo: "https://git.example/a/b",
		branch: "main",
		repositories: [],
		template_name: null,
		preset_id: null,
		profile_name: null,
		status: "running",
		status_reason: null,
		activity_state: null,
		activity_metadata: {},
		chat_endpoint: null,
		code_endpoint: null,
		pod_name: null,
		error: null,
		created_at: time,
		updated_at: time,
		last_active: time,
		archived_at: null,
		message_count: 0,
		tokens_used: 0,
		tracker_issue_id: null,
		issue_tracker_url: null,
		task_type: null,
		workload_type: null,
		owner_id: "dev-user",
		tenant_id: "default",
		generation: 1,
		rev: 1,
		timings: {},
		warnings: [],
		budget: { limit: null, spent: 0, reserved: 0, paused: false, reason: null },
	};
}
