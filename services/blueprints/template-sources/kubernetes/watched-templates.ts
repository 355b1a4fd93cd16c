/** The templates of a namespace as a watch keeps them, with the condition that says which of them are offered. */
import { deadline } from "#shared/base/clock.ts";
import { aborted } from "#shared/base/concurrency/aborted.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import { WatchLoop, type WatchLoopDependencies } from "#shared/kubernetes/watch/watch-loop.ts";
import type { TemplateList } from "../../template-source.ts";
import { AcceptedConditions, type AcceptedConditionsDependencies } from "./accepted-conditions.ts";
import { type JudgedTemplates, judgedTemplates } from "./judged-templates.ts";
import type { KnownNames } from "./known-names.ts";
import { type TemplateObject, type TemplateRecord, templateRecord } from "./template-record.ts";

type Loop = WatchLoopDependencies<TemplateObject, TemplateRecord>;

/** How long a caller waits for the first list, in milliseconds: a process takes calls before it has heard from the cluster. */
const firstListMs = 5_000;

export interface WatchedTemplatesDependencies extends Pick<Loop, "source" | "metrics" | "times"> {
	readonly write: AcceptedConditionsDependencies["write"];
	readonly known: KnownNames;
	readonly log: ServiceLog;
}

export class WatchedTemplates {
	readonly #loop: WatchLoop<TemplateObject, TemplateRecord>;
	readonly #conditions: AcceptedConditions;
	readonly #known: KnownNames;
	readonly #log: ServiceLog;
	readonly #words: string;
	readonly #firstList = Promise.withResolvers<void>();
	/** The answers that follow from the objects that are kept; absent: they have changed since. */
	#judged: JudgedTemplates | undefined;
	#logged: string | undefined;

	constructor({ source, metrics, times, write, known, log }: WatchedTemplatesDependencies) {
		this.#known = known;
		this.#log = log;
		this.#words = source.words;
		this.#conditions = new AcceptedConditions({ write, judgements: () => this.#judgedNow().judgements, log });
		this.#loop = new WatchLoop<TemplateObject, TemplateRecord>({
			source,
			kind: "sessiontemplates",
			project: templateRecord,
			onChange: () => this.#changed(),
			onState: () => this.#heard(),
			...(metrics && { metrics }),
			...(times && { times }),
		});
	}

	/** Follows the templates until the signal aborts. It never throws. */
	async run(signal: AbortSignal): Promise<void> {
		await this.#loop.run(signal);
		await this.#conditions.close();
	}

	/** Returns the templates of the last state that is known. @throws {UnavailableError} while none has ever been. */
	async list(): Promise<TemplateList> {
		if (!this.#loop.isListed) await Promise.race([this.#firstList.promise, aborted(deadline(firstListMs))]);
		await this.check();
		return this.#judgedNow().list;
	}

	/** @throws {UnavailableError} that says why the templates were never read. */
	async check(): Promise<void> {
		if (this.#loop.isListed) return;
		throw new UnavailableError(this.#loop.trouble ?? `The cluster has not listed ${this.#words} yet`);
	}

	#judgedNow(): JudgedTemplates {
		this.#judged ??= judgedTemplates(this.#loop.list(), this.#known);
		return this.#judged;
	}

	#changed(): void {
		this.#judged = undefined;
		this.#conditions.request();
	}

	/** Logs a trouble once, and that it is over. */
	#heard(): void {
		const { isListed, trouble } = this.#loop;
		if (isListed) this.#firstList.resolve();
		if (trouble !== undefined && trouble !== this.#logged)
			this.#log.error(
				`${trouble}.`,
				isListed ? "The templates that were there last are offered" : "There are none yet",
			);
		this.#logged = trouble;
	}
}
