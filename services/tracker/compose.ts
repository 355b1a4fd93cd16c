/** The tracker part: issues of other systems, which project belongs to which repository, and moves of issues. */
import { gitProtocols } from "#shared/wire/git/allowed-protocols.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { configuredTrackers } from "./configured-trackers.ts";
import { issuesService } from "./issues.service.ts";
import { AllIssues } from "./issue-queries/all-issues.ts";
import { IssuesOfSession } from "./issue-queries/issues-of-session.ts";
import { mappingCollection } from "./mappings/mapping-collection.ts";
import { MappingRecords } from "./mappings/mapping-records.ts";
import { mappingsService } from "./mappings.service.ts";
import { EventFollower } from "./issue-moves/event-follower.ts";
import { IssueMover } from "./issue-moves/issue-mover.ts";
import { IssueMoves } from "./issue-moves/issue-moves.ts";
import { followedCollection, moveCollection } from "./issue-moves/move-collection.ts";
import { PlatformCalls } from "./platform-calls.ts";
import { trackerService } from "./tracker.service.ts";
import { ConnectedTrackers } from "./trackers/connected-trackers.ts";
import { refuseUnknownTrackerArguments } from "./trackers/tracker-adapter.ts";
import { TrackerCache } from "./trackers/tracker-cache.ts";

export const collections = [mappingCollection, moveCollection, followedCollection] as const;

/**
 * Events, and tries whose time has come, are found within this time in milliseconds. A tracker is slow and nobody waits for a
 * move, so the part does not read the log after each write.
 */
const pollMs = 1_000;

/** @throws {ConfigError} for a tracker that cannot be used. */
export async function compose(platform: StoringPlatform): Promise<Part> {
	const { config, trustsCallers, outbound, store, eventLog, relay, log } = platform;
	if (config.tracker.adapter !== "") await refuseUnknownTrackerArguments(config.tracker);
	const calls = new PlatformCalls();
	const trackers = new ConnectedTrackers({
		outbound,
		cache: new TrackerCache(),
		connectionsOf: (person) => calls.connectionsOf(person),
		configured: configuredTrackers(config),
	});
	const mappings = new MappingRecords(store, gitProtocols(config, trustsCallers));
	const moves = new IssueMoves(store, (person, repo) => mappings.ofRepository(person, repo));
	if (config.bus.url === "") await moves.releaseLeases();
	const follower = new EventFollower(store, eventLog, (entry) => moves.note(entry));
	await follower.open();
	const onError = (error: unknown) => log.error("Issues cannot be moved now:", error);
	const mover = new IssueMover({ moves, trackers, issueOf: (person, id) => calls.issueOf(person, id), onError });
	const looking = new RecurringJob({
		everyMs: pollMs,
		work: () => follower.follow().then(() => mover.look()),
		onError,
	});
	looking.start();
	relay.beforeTrim("tracker.moves", () => follower.follow());
	const ofSession = new IssuesOfSession({
		trackers,
		mappingOf: (owner, repo) => mappings.ofRepository(owner, repo),
		movesOf: (principal, session) => moves.ofSession(principal, session),
	});
	return {
		services: [
			trackerService({ trackers, calls }),
			mappingsService(mappings, trackers),
			issuesService(new AllIssues(trackers), ofSession),
		],
		async close() {
			await looking.stop();
			await mover.settled();
			await follower.close();
		},
	};
}
