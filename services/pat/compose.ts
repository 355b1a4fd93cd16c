/** The part for personal access tokens. */
import type { Part, StoringPlatform } from "#host/platform.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { sweepAll } from "#shared/base/concurrency/sweep-all.ts";
import { openIssuer } from "./issue/open-issuer.ts";
import { TokenIssuance } from "./issue/token-issuance.ts";
import { tokenCollection } from "./record/token-collection.ts";
import { TokenRecords } from "./record/token-records.ts";
import { TokenUses } from "./record/token-uses.ts";
import { tokensService } from "./tokens.service.ts";

export const collections = [tokenCollection] as const;

const sweepEveryMs = 3_600_000;

/** @throws {ConfigError} for an issuer that cannot be used. */
export async function compose({ config, key, store, log }: StoringPlatform): Promise<Part> {
	const { pat } = config;
	const records = new TokenRecords(store, pat.max_per_user);
	const uses = new TokenUses(records, log);
	const sweep = new RecurringJob({
		everyMs: sweepEveryMs,
		work: () => sweepAll(records),
		onError: (error) => log.error("Expired tokens cannot be removed:", error),
	});
	sweep.start();
	const issuance = new TokenIssuance(records, await openIssuer(config, key.localTokenKey()), pat.ttl_days);
	return {
		services: [tokensService({ records, issuance, uses })],
		async close() {
			await sweep.stop();
			await uses.stop();
		},
	};
}
