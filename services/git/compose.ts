/** The part for git providers: repositories, pull requests, merge confidence. */
import type { Caller } from "#shared/bus/service.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { environmentSecret } from "#shared/config/config.ts";
import { unsetVariables } from "#shared/config/unset-variables.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { sweepAll, type Swept } from "#shared/base/concurrency/sweep-all.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import { confidencePart } from "./confidence/confidence-part.ts";
import { evaluationCollection } from "./confidence/record/evaluation-collection.ts";
import { confidenceService } from "./confidence.service.ts";
import { configuredProviders } from "./providers/configured-providers.ts";
import { OwnProviders } from "./providers/own-providers.ts";
import { ProviderMaker } from "./providers/provider-maker.ts";
import { ProviderRegistry } from "./providers/provider-registry.ts";
import { RepositoryQueries } from "./providers/repository-queries.ts";
import { pullCollection } from "./pulls/pull-collection.ts";
import { PullCreations } from "./pulls/pull-creations.ts";
import { PullMerges } from "./pulls/pull-merges.ts";
import { PullQueries } from "./pulls/pull-queries.ts";
import { PullRecords } from "./pulls/pull-records.ts";
import { pullsService } from "./pulls.service.ts";
import { repositoriesService } from "./repositories.service.ts";
import { deliveryCollection } from "./webhooks/delivery-collection.ts";
import { DeliveryRecords } from "./webhooks/delivery-records.ts";
import { WebhookReceiver } from "./webhooks/webhook-receiver.ts";
import { webhookSources } from "./webhooks/webhook-sources.ts";
import { webhooksService } from "./webhooks.service.ts";

export const collections = [pullCollection, evaluationCollection, deliveryCollection] as const;

/** @throws {ConfigError} for a git provider that cannot be used. */
export async function compose({ config, outbound, store, relay, log, announce }: StoringPlatform): Promise<Part> {
	for (const sentence of unsetVariables(config.git, "git", environmentSecret)) announce(`Warning: ${sentence}`);
	const maker = new ProviderMaker(outbound);
	const configured = await configuredProviders(config.git, maker);
	let bus: Caller | undefined;
	const own = new OwnProviders({ bus: () => bus, maker, log });
	const providers = configured.map(({ provider }) => provider);
	const registry = new ProviderRegistry(providers, (principal) => own.of(principal));
	const records = new PullRecords(store, () => relay.wake());
	const { workflow } = config.git;
	const pulls = {
		creations: new PullCreations({ registry, records, rules: workflow }),
		queries: new PullQueries(registry, records),
		merges: new PullMerges(registry, records, workflow.default_merge_method),
	};
	const attach = (caller: Caller) => {
		bus = caller;
	};
	const repositories = repositoriesService({ queries: new RepositoryQueries(registry), maker, attach });
	const confidence = confidencePart({ workflow, store, log, find: (...asked) => registry.find(...asked) });
	const deliveries = new DeliveryRecords(store);
	const sweep = sweepOf([confidence.records, deliveries], log);
	sweep.start();
	return {
		services: [
			repositories,
			pullsService(pulls),
			confidenceService(confidence),
			webhooksService(
				new WebhookReceiver({
					deliveries,
					sources: webhookSources(configured),
					observe: async (event) => {
						const { state, merge_sha } = event;
						const repo = registry.repoOf(event.repo_url);
						if (repo !== undefined && state !== "open") await records.told({ ...event, repo }, state, merge_sha);
						await confidence.records.observe(event);
					},
				}),
			),
		],
		close: () => sweep.stop(),
	};
}

function sweepOf(swept: readonly Swept[], log: ServiceLog): RecurringJob {
	return new RecurringJob({
		everyMs: 3_600_000,
		work: () => Promise.all(swept.map(sweepAll)),
		onError: (error) => log.error("Old evaluations and webhooks cannot be removed:", error),
	});
}
