/** Chooses how a connection is tried: by the service that has the adapters of its type, or by a request of its definition. */
import { call, type RequestContext } from "#shared/bus/service.ts";
import { repositories } from "#shared/contracts/git/repositories.ts";
import { tracker } from "#shared/contracts/tracker/tracker.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import { jobMeta } from "./read-credentials.ts";
import type { Probe } from "./testing/connection-test.ts";
import { checkServer } from "./testing/server-check.ts";

export function connectionProbes(outbound: Outbound): (ctx: RequestContext) => Probe {
	return (ctx) =>
		async ({ definition, config, credential }) => {
			const { integration_type, adapter } = definition;
			const asked = { adapter, config: { ...config }, credential: { ...credential } };
			const options = { meta: jobMeta(ctx) };
			switch (integration_type) {
				case "source_control":
					return call(ctx.broker, repositories.actions.probe, asked, options);
				case "issue_tracker":
					return call(ctx.broker, tracker.actions.probe, asked, options);
				case "messaging":
				case "ai_provider":
				case "code_forge":
					return checkServer(outbound, definition, { config, credential });
			}
		};
}
