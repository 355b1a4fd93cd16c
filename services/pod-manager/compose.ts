/** The pod manager's part, the only one that starts and ends pods. */
import { availableParallelism } from "node:os";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { ConfigError, environmentSecret } from "#shared/config/config.ts";
import { acceptance } from "#shared/config/fields/pod-fields.ts";
import { peopleShareAMachine } from "#shared/config/shared-machine.ts";
import { freeBytes } from "#shared/base/files/free-bytes.ts";
import { shownIn } from "#shared/base/shown-sentences.ts";
import type { Caller } from "#shared/bus/service.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { modelAccess } from "#shared/wire/models/model-access.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { refuseMalformedKeys } from "#shared/wire/models/provider-key.ts";
import { modelRefusal } from "#shared/wire/models/model-refusal.ts";
import type { Part, Platform } from "#host/platform.ts";
import { agentsService } from "./agents.service.ts";
import { sentenceOf } from "./deduplicating-log.ts";
import { endAllPods, endedSessions, stillRunning } from "./exit.ts";
import { sendSecrets } from "./pod-client.ts";
import type { PassDependencies } from "./reconciliation/pass.ts";
import { askedSpec, existingOf, modelOf, podManager, type SendSecrets } from "./pod-manager.service.ts";
import { loadRuntime, type PodRuntime, type RuntimeLaunches } from "./pod-runtime.ts";
import { platformUrl } from "./platform-url.ts";
import { podSpec } from "./pod-spec.ts";
import { refuseLeft } from "./runtime-change/former-runtimes.ts";
import { sessionPlaceService } from "./session-place.service.ts";

export { endLeftAgents as beforeRestore } from "./reconciliation/left-agents.ts";
export { machineReport } from "./machine-report.ts";
export { openSessionFiles as sessionFiles } from "./session-files.ts";

/** Starts per processor: a start waits for files and other processes about half of its time. */
const perProcessor = 2;

export async function compose(platform: Platform): Promise<Part> {
	const { config, key, readiness, shortcomings, announce } = platform;
	const catalogue = readModelCatalogue(config.models.file);
	refuseMalformedKeys(catalogue.providers, environmentSecret);
	const accessOf = (model: string) => modelAccess(catalogue, model, environmentSecret);
	const bus = Promise.withResolvers<Caller>();
	const refusalOf = (model: string) => modelRefusal(catalogue, model, environmentSecret);
	const { enabled, allowed_prefixes } = config.git.local_mounts;
	const mountRules = enabled ? { allowed_prefixes, refused: [config.data_dir] } : undefined;
	const choiceMs = config.pods.choice_minutes * 60_000;
	const specOf = (claim: Claim) =>
		podSpec(claim, { key, platformUrl: platformUrl(config.gateway), choiceMs, accessOf, refusalOf, mountRules });
	const runtime = await loadRuntime(config, key, {
		models: { accessOf, modelOf: async (id) => modelOf(await bus.promise, id) },
		launches: launchesOver(bus.promise, specOf),
		metrics: platform.metrics,
		onChoice({ sentence, isLesser }) {
			announce(sentence);
			if (isLesser) shortcomings.push(sentence);
		},
		examine: refuseLeft,
	});
	refuseUnsafe(platform, runtime);
	refuseLessIsolation(platform, runtime);
	refuseEndOfAll(platform, runtime);
	const agents = {
		records: readAgentRecords(),
		catalogue,
		keyOf: environmentSecret,
		dataDir: config.data_dir,
		areInImages: runtime.isolation === "container",
		operators: config.tenants.default,
	};
	const send: SendSecrets = ({ id, generation }, address, secrets) =>
		sendSecrets({ address, key: key.platformKey(id, generation), hosts: config.pods.agent_hosts }, secrets);
	const startingPerOwner = config.pods.starting_per_owner ?? perProcessor * availableParallelism();
	const disk = runtime.place && { lowMb: config.disk.low_mb, free: () => freeBytes(config.data_dir) };
	const { schema, stop, check } = podManager(
		{ runtime, specOf, disk, remaining: shownIn(shortcomings), attach: bus.resolve },
		send,
		startingPerOwner,
		platform.metrics,
	);
	readiness.set("pod manager", check);
	for (const sentence of await runtime.open()) {
		shortcomings.push(sentence);
		announce(sentence);
	}
	return {
		services: [schema, agentsService(agents), sessionPlaceService(runtime)],
		place: runtime.place,
		drain: stop,
		// This runs after the requests under way, some of them to pods, have been answered.
		async close() {
			const sentence =
				config.pods.on_exit === "stop" ? endedSessions(await endAllPods(runtime)) : await leftSessions(runtime);
			if (sentence !== undefined) announce(sentence);
			await runtime.close();
		},
	};
}

function launchesOver(bus: Promise<Caller>, specOf: PassDependencies["specOf"]): RuntimeLaunches {
	return {
		specOf: async (id, generation) => askedSpec(await bus, { id, generation }, specOf),
		existingOf: async (ids) => existingOf(await bus, ids),
	};
}

/**
 * Refuses pods without isolation unless callers are trusted, because such pods have the rights of the person who
 * started the platform. The operator may say that these people trust each other's code.
 * @throws {ConfigError}
 */
function refuseUnsafe({ config, trustsCallers }: Platform, { isolation }: PodRuntime): void {
	if (isolation === "container" || trustsCallers || peopleShareAMachine(config)) return;
	throw new ConfigError(
		`Cannot run sessions as processes of this machine with the identity "${config.identity.adapter}": all sessions run as one user, ` +
			"so each person's code could read the files, keys and sessions of everybody else, of other tenants and of the platform. Run sessions in containers (docs/session-containers.md). If instead all of them " +
			`trust each other's code, say so with the configuration key pods.people_share_a_machine: ${acceptance} ` +
			`(PODS__PEOPLE_SHARE_A_MACHINE=${acceptance}; docs/identity.md)`,
	);
}

/**
 * Refuses pods without isolation where the operator requires it: other files or another machine must not lead to a lesser runtime.
 * @throws {ConfigError}
 */
function refuseLessIsolation({ config }: Platform, { isolation }: PodRuntime): void {
	if (config.pods.required_isolation === "none" || isolation === "container") return;
	throw new ConfigError(
		'Sessions would run as processes with the rights of the platform here, and the configuration key "pods.required_isolation" (environment variable PODS__REQUIRED_ISOLATION) refuses that. ' +
			"Name the runtime for containers; with docker-compose, start with docker-compose.engine.yml too (COMPOSE_FILE in .env; docs/one-server.md#with-compose)",
	);
}

/**
 * Refuses that the end of one pod manager ends the sessions of all, where several share them: each upgrade would do so.
 * @throws {ConfigError}
 */
function refuseEndOfAll({ config }: Platform, { place, isolation }: PodRuntime): void {
	if (place !== undefined || isolation === "none" || config.pods.on_exit !== "stop") return;
	throw new ConfigError(
		'Cannot use the configuration key "pods.on_exit" with the value "stop" here: sessions belong to all pod managers of a cluster, and the end of one would end all of them. Stop sessions by the API instead',
	);
}

function leftSessions(runtime: PodRuntime): Promise<string | undefined> {
	return stillRunning(runtime).catch(
		(error: unknown) => `Cannot say which sessions keep running: ${sentenceOf(error)}`,
	);
}
