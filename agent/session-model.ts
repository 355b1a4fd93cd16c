/** The session's model as its agent reaches it: through the proxy, within the budget, with its usage reported. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { BudgetGate } from "../shared/model-proxy/books/budget-gate.ts";
import type { Dialogue } from "./conversation/dialogue.ts";
import type { LogBuffer } from "#shared/wire/pod/log-buffer.ts";
import type { ModelProxy } from "#shared/model-proxy/model-proxy.ts";
import type { ModelTrouble } from "./reporting/model-trouble.ts";
import type { UsageReporter } from "../shared/model-proxy/books/usage-reporter.ts";

export interface SessionModelDependencies {
	readonly launch: LaunchDocument;
	readonly dialogue: Dialogue;
	readonly usage: UsageReporter;
	readonly trouble: Pick<ModelTrouble, "watchCall">;
	readonly log: LogBuffer;
}

/** Owns the proxy and the budget gate of a session. */
export class SessionModel {
	/** It is undefined when the session has no model. */
	readonly proxy: ModelProxy | undefined;
	readonly #gate: BudgetGate;

	private constructor(gate: BudgetGate, proxy: ModelProxy | undefined) {
		this.#gate = gate;
		this.proxy = proxy;
	}

	static async open({ launch, dialogue, usage, trouble, log }: SessionModelDependencies): Promise<SessionModel> {
		const { model_access: access } = launch;
		let proxy: ModelProxy | undefined;
		const model = (): string | undefined => (proxy?.access ?? access)?.model;
		const gate = new BudgetGate({ launch, log, reported: () => usage.reported(), model });
		dialogue.guard(gate);
		// The usage of a turn is reported before the rest of its reservation is returned.
		dialogue.watch(usage);
		dialogue.watch(gate);
		if (!access) return new SessionModel(gate, undefined);
		// The module is loaded only when there is a model.
		const { ModelProxy } = await import("#shared/model-proxy/model-proxy.ts");
		proxy = await ModelProxy.open({
			access,
			log,
			onCall: (call) => {
				usage.add(call, gate.reservationId);
				gate.used(call);
			},
			onBegun: (call) => usage.begin(call, gate.reservationId),
			isLimited: () => gate.isLimited,
			admit: (call, leaving) => {
				if (gate.isLimited) usage.reportSoon();
				return gate.admit(call, leaving);
			},
			watchCall: trouble.watchCall,
		});
		return new SessionModel(gate, proxy);
	}

	/** Aborts the calls that are under way. Resolves when their usage is recorded. */
	async close(): Promise<void> {
		await this.proxy?.close();
		await this.#gate.close();
	}
}
