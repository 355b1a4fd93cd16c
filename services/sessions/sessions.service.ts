/** Wires sessions to the bus; the rules are in session-commands.ts and session-lifecycle.ts. */
import type { Service, ServiceSchema } from "moleculer";
import { now } from "#shared/base/clock.ts";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { ownershipOf } from "#shared/contracts/access/access-table.ts";
import { implement } from "#shared/bus/service.ts";
import { activityStates, type ActivityState, sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { logLevels } from "#shared/wire/pod/log/log-tail.ts";
import type { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { inEitherCase } from "./either-case.ts";
import type { Hints } from "./hints.ts";
import { listPage } from "./record/session-list.ts";
import type { SessionChange, SessionRecord } from "./record/session-change.ts";
import { namedCredentials, integrationWarnings } from "./commands/launch-levels/missing-credentials.ts";
import type { NeededFiles } from "#shared/wire/launch/host-files.ts";
import { refuseUnreachableFiles } from "./commands/launch-levels/unreachable-files.ts";
import { refuseUnknownRepositories } from "./commands/launch-levels/unknown-repositories.ts";
import { namedBlueprints, namedProfile } from "./commands/launch-levels/named-blueprints.ts";
import { commander } from "./commands/commander.ts";
import type { SessionCommands } from "./commands/session-commands.ts";
import { refuseForeignReport } from "./commands/session-rights.ts";
import type { SessionPod } from "./pod/session-pod.ts";
import type { SessionUpdates } from "./pod/session-updates.ts";
import type { SessionRecords } from "./record/session-records.ts";
import type { SessionStops } from "./commands/session-stops.ts";
import type { SessionWorkspaces } from "./workspaces/session-workspaces.ts";
import type { StoppedSessions } from "./commands/stopped-sessions.ts";

interface SessionsServiceDependencies {
	readonly records: SessionRecords;
	readonly commands: SessionCommands;
	readonly stops: SessionStops;
	readonly stopped: StoppedSessions;
	readonly pod: SessionPod;
	/** The removal of answers whose keys are no longer remembered. */
	readonly sweep: RecurringJob;
	readonly updates: SessionUpdates;
	readonly workspaces: SessionWorkspaces;
	/** Whether repositories of new sessions are looked up at their git providers. */
	readonly validates: boolean;
}

/** @param hints Receives the bus when it is connected. */
export function sessionsService(dependencies: SessionsServiceDependencies, hints: Hints): ServiceSchema {
	const { records, commands, stops, stopped, pod, sweep, updates, workspaces, validates } = dependencies;

	return {
		name: sessions.name,

		actions: implement(sessions, {
			list({ status, ...query }, principal, { meta }) {
				const wanted = status === undefined ? undefined : inEitherCase("status", sessionStatuses, status);
				return listPage(records, principal, { ...query, status: wanted }, meta.if_none_match);
			},

			async create(request, principal, ctx) {
				const blueprints = await namedBlueprints(request, principal, ctx);
				const ids = request.integration_ids.length > 0 ? request.integration_ids : blueprints.preset?.integration_ids;
				const [{ tenantCredentials, ...ofCredentials }, ofConnections] = await Promise.all([
					namedCredentials(request.credential_names, principal, ctx),
					integrationWarnings(ids ?? [], principal, ctx),
				]);
				const { workspace_id } = request;
				const workspace = workspace_id ? await workspaces.offered(principal, workspace_id) : undefined;
				const check = async ({ repositories, mounts }: NeededFiles) => {
					// The workspace that a session continues is cloned already.
					await refuseUnreachableFiles({ repositories: workspace ? [] : repositories, mounts }, ctx);
					const urls = repositories.map(({ url }) => url);
					if (validates) await refuseUnknownRepositories(urls, principal, ctx);
				};
				const told = [...(ctx.meta.warnings ?? []), ...ofCredentials.warnings, ...ofConnections];
				const order = { request, blueprints, workspace, tenantCredentials, warnings: told, check };
				return commands.create({ principal, key: ctx.meta.idempotency_key }, order);
			},

			archive_stopped: ({ cursor }, ...who) => stopped.archive(commander(...who), cursor),

			get: async ({ session_id }, principal) => jsonText(await records.text(principal, session_id)),

			update: ({ session_id, ...update }, principal, { meta: { deadline } }) =>
				updates.update(principal, session_id, update, deadline),

			async delete({ session_id, cleanup }, principal, ctx) {
				const set = {
					...(cleanup.includes("workspace_storage") && { storage_policy: "remove" }),
					...(cleanup.includes("chronicles") && { chronicle_policy: "remove" }),
				};
				await commands.run(commander(principal, ctx), "delete", session_id, { columns: { set } });
			},

			async start({ session_id, profile_name }, principal, ctx) {
				const profile = profile_name ? await namedProfile(profile_name, principal, ctx) : undefined;
				return commands.run(commander(principal, ctx), "start", session_id, { profile });
			},

			stop: ({ session_id }, ...who) => stops.stop(commander(...who), session_id),
			archive: ({ session_id }, ...who) => commands.run(commander(...who), "archive", session_id),
			restore: ({ session_id }, ...who) => commands.run(commander(...who), "restore", session_id),

			async activity({ session_id, state, metadata }, principal, { meta: { deadline } }) {
				if (!isActivity(state)) {
					throw new UnprocessableError(
						`Unknown state "${state}"; allowed: ${activityStates.join(", ")}`,
						"ACTIVITY_STATE",
					);
				}
				const decide = ({ session }: SessionRecord): SessionChange | undefined => {
					refuseForeignReport(principal, ownershipOf(session));
					if (session.status !== "running") return undefined;
					return {
						at: now(),
						members: { activity_state: state, activity_metadata: metadata },
						columns: {},
						event: "session_activity",
						payload: { session_id, state, metadata, owner_id: session.owner_id ?? "" },
					};
				};
				await records.change(principal, session_id, decide, { deadline });
			},

			async logs({ session_id, lines, level }, principal) {
				const least = inEitherCase("level", logLevels, level);
				return pod.logs(await records.get(principal, session_id), lines, least);
			},

			async messages({ session_id, content }, principal, ctx) {
				const record = await records.get(principal, session_id);
				const message_id = await pod.send(principal, record, content, ctx.meta.idempotency_key);
				return { status: "sent", session_id, message_id };
			},

			conversation: async ({ session_id, before }, principal) =>
				pod.conversation(await records.get(principal, session_id), before),

			diff: async ({ session_id, ...query }, principal) =>
				pod.diff(principal, await records.get(principal, session_id), query),
		}),

		async started(this: Service) {
			hints.attach(this.broker);
			sweep.start();
		},
		stopped: () => sweep.stop(),
	};
}

function isActivity(state: string): state is ActivityState {
	return activityStates.some((known) => known === state);
}
