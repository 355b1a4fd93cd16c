/** A scripted model server behind a model proxy, with the reports of the proxy. */
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { MeteredCall } from "#shared/model-proxy/metering/metered-call.ts";
import type { ModelCallsDependencies } from "#shared/model-proxy/model-calls.ts";
import { ModelProxy } from "#shared/model-proxy/model-proxy.ts";
import { watchNothing } from "#shared/model-proxy/provider/watched-call.ts";
import { type ModelAccess, type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";
import { addTokens, noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";
import type { Script } from "../model-server/answer.ts";
import { ModelServer } from "../model-server/model-server.ts";

/** The dependencies of a proxy in a session without a budget, whose calls nobody follows. */
export const withoutBudget = {
	onBegun: async () => {},
	isLimited: () => false,
	admit: async () => undefined,
	watchCall: watchNothing,
};

export class ProxiedModel implements AsyncDisposable {
	readonly server: ModelServer;
	readonly proxy: ModelProxy;
	readonly log: LogBuffer;
	readonly metered: MeteredCall[];

	private constructor(server: ModelServer, proxy: ModelProxy, log: LogBuffer, metered: MeteredCall[]) {
		this.server = server;
		this.proxy = proxy;
		this.log = log;
		this.metered = metered;
	}

	static async open(
		script: Script,
		options: Partial<Omit<ModelCallsDependencies, "log" | "onCall">> = {},
	): Promise<ProxiedModel> {
		const server = await ModelServer.listen({ script });
		const log = new LogBuffer([]);
		const metered: MeteredCall[] = [];
		const onCall = (call: MeteredCall): number => metered.push(call);
		const proxy = await ModelProxy.open({ access: server.access(), log, onCall, ...withoutBudget, ...options });
		return new ProxiedModel(server, proxy, log, metered);
	}

	/** The access to the model as an agent has it. */
	get access(): Pick<ModelAccess, "endpoints" | "key" | "model"> {
		const urls = modelWires.map((wire): [ModelWire, string] => [wire, this.proxy.url(wire) ?? ""]);
		return { endpoints: Object.fromEntries(urls), key: this.proxy.token, model: this.server.model };
	}

	/** The sum of the metered tokens. */
	get counts(): TokenCounts {
		return this.metered.reduce<TokenCounts>((sum, { counts }) => addTokens(sum, counts ?? noTokens), { ...noTokens });
	}

	get logged(): string[] {
		return this.log.after(0).map(({ message }) => message);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.proxy.close();
		await this.server[Symbol.asyncDispose]();
	}
}
