/** The session's model as its agent reaches it: through the proxy, within the budget, with its usage reported. */
import type { ModelAccess, ModelTerms } from "#shared/wire/models/model-wire.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { accountedCalls } from "#shared/model-proxy/books/accounted-calls.ts";
import { BudgetGate } from "#shared/model-proxy/books/budget-gate.ts";
import type { UsageReporter } from "#shared/model-proxy/books/usage-reporter.ts";
import type { ModelCallsDependencies } from "#shared/model-proxy/model-calls.ts";
import type { ModelProxy } from "#shared/model-proxy/model-proxy.ts";
import type { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { Dialogue } from "./conversation/dialogue.ts";
import { RelayedModel } from "./relayed-model.ts";
import type { ModelTrouble } from "./reporting/model-trouble.ts";

export interface SessionModelDependencies {
	readonly launch: LaunchDocument;
	readonly dialogue: Dialogue;
	readonly usage: UsageReporter;
	readonly meter: TokenMeter;
	readonly trouble: Pick<ModelTrouble, "watchCall">;
	readonly log: LogBuffer;
}

/** Decides on the calls and turns of the session: here, or on the platform's side of the pod's door. */
type Keeper = BudgetGate | RelayedModel;

/** Owns the proxy and what keeps its calls within the budget. */
export class SessionModel {
	/** It is undefined when the session has no model. */
	readonly proxy: ModelProxy | undefined;
	readonly #keeper: Keeper;

	private constructor(keeper: Keeper, proxy: ModelProxy | undefined) {
		this.#keeper = keeper;
		this.proxy = proxy;
	}

	static async open(dependencies: SessionModelDependencies): Promise<SessionModel> {
		const { launch, dialogue, usage, trouble, log } = dependencies;
		const { door, model_access: access } = launch;
		if (door !== undefined && access) {
			const relayed = new RelayedModel(door);
			dialogue.guard(relayed);
			dialogue.watch(relayed);
			const calls = relayed.calls(dependencies.meter);
			return new SessionModel(relayed, await proxyFor({ access, log, watchCall: trouble.watchCall, ...calls }));
		}
		let proxy: ModelProxy | undefined;
		const model = (): string | undefined => (proxy?.access ?? access)?.model;
		const gate = new BudgetGate({ launch, log, reported: () => usage.reported(), model });
		dialogue.guard(gate);
		// The usage of a turn is reported before the rest of its reservation is returned.
		dialogue.watch(usage);
		dialogue.watch(gate);
		if (!access) return new SessionModel(gate, undefined);
		proxy = await proxyFor({ access, log, watchCall: trouble.watchCall, ...accountedCalls(gate, usage) });
		return new SessionModel(gate, proxy);
	}

	/** Makes further calls with another model; resolves to false when that can be done at the next launch only. */
	async use(terms: ModelTerms): Promise<boolean> {
		const follows = !(this.#keeper instanceof RelayedModel) || (await this.#keeper.follow());
		return follows && this.proxy?.use(terms) === true;
	}

	/** Aborts the calls that are under way. Resolves when their usage is recorded. */
	async close(): Promise<void> {
		await this.proxy?.close();
		await this.#keeper.close();
	}
}

/** The module is loaded only when there is a model. */
async function proxyFor(dependencies: ModelCallsDependencies & { access: ModelAccess }): Promise<ModelProxy> {
	const { ModelProxy } = await import("#shared/model-proxy/model-proxy.ts");
	return ModelProxy.open(dependencies);
}
