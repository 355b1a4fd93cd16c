/** Offers the caller's tracker on the bus. */
import type { Service, ServiceSchema } from "moleculer";
import type { Owner } from "#shared/base/principal.ts";
import { implement } from "#shared/bus/service.ts";
import { tracker } from "#shared/contracts/tracker/tracker.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import type { PlatformCalls } from "./platform-calls.ts";
import type { ConnectedTrackers } from "./trackers/connected-trackers.ts";
import type { IssueTracker } from "./trackers/issue-tracker.ts";

interface TrackerServiceDependencies {
	readonly trackers: ConnectedTrackers;
	readonly calls: PlatformCalls;
}

export function trackerService({ trackers, calls }: TrackerServiceDependencies): ServiceSchema {
	/** Returns the caller's first tracker; undefined when there is none. */
	async function firstOf(person: Owner): Promise<IssueTracker | undefined> {
		const [first] = (await trackers.of(person)).connections;
		return first && trackers.open(person, first);
	}

	return {
		name: tracker.name,

		actions: implement(tracker, {
			async status(_params, principal) {
				const found = await firstOf(principal).catch(() => undefined);
				if (!found) return { connected: false, provider: "none", workspace: null, user: null };
				const provider = found.name;
				const identity = await found.status().catch(() => undefined);
				if (!identity) return { connected: false, provider, workspace: null, user: null };
				return { connected: true, provider, ...identity };
			},

			search: async ({ q, project_id }, principal) => (await firstOf(principal))?.search(q, project_id) ?? [],

			recent: async ({ project_id, limit }, principal) => (await firstOf(principal))?.recent(project_id, limit) ?? [],

			async update({ id, status }, principal) {
				const found = await firstOf(principal);
				if (!found) throw new NotFoundError("There is no tracker", "NO_TRACKER");
				return found.setStatus(id, status);
			},

			probe: (choice) => trackers.probe(choice),
		}),

		started(this: Service) {
			calls.attach(this.broker);
			return Promise.resolve();
		},
	};
}
