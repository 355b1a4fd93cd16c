/** The present templates: those that can be used, and sentences about the others, each of which is logged once. */
import { NotFoundError } from "#shared/base/errors.ts";
import { didYouMean } from "#shared/base/nearest-name.ts";
import type { Template } from "#shared/contracts/templates.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { TemplateFault, TemplateSource } from "./template-source.ts";

/** The most files that the refusal of an unknown name tells of. */
const maxTold = 3;
/** The most templates that a refusal names. */
const maxNamed = 20;

export class Templates {
	readonly #source: TemplateSource;
	readonly #log: ServiceLog;
	#logged: ReadonlySet<string> = new Set();

	constructor(source: TemplateSource, log: ServiceLog) {
		this.#source = source;
		this.#log = log;
	}

	/** Returns the templates that can be used. @throws {Error} when the source cannot be read. */
	async all(): Promise<readonly Template[]> {
		return (await this.#read()).templates;
	}

	/** Returns a template. @throws {NotFoundError} that says what is wrong with it, if it is there and cannot be used. */
	async named(name: string): Promise<Template> {
		const { templates, faults } = await this.#read();
		const found = templates.find((one) => one.name === name);
		if (found) return found;
		throw new NotFoundError(refusalOf(name, templates, faults), "TEMPLATE_NOT_FOUND");
	}

	async #read() {
		const list = await this.#source.list();
		const sentences = new Set(list.faults.map(({ sentence }) => sentence));
		for (const sentence of sentences)
			if (!this.#logged.has(sentence)) this.#log.error(sentence.replace(/[^.]$/, "$&."), "It is left out");
		this.#logged = sentences;
		return list;
	}
}

function refusalOf(name: string, templates: readonly Template[], faults: readonly TemplateFault[]): string {
	const own = faults.find((fault) => fault.name === name);
	if (own) return `Template "${name}" cannot be used. ${own.sentence}`;
	const nameless = faults.filter((fault) => fault.name === undefined).slice(0, maxTold);
	const names = templates.map((template) => template.name);
	const known = names.length === 0 ? "" : `; there are: ${names.slice(0, maxNamed).join(", ")}`;
	return [
		`Template "${name}" does not exist${didYouMean(names, name) || known}`,
		...nameless.map(({ sentence }) => sentence),
	]
		.join(". ")
		.replace("?. ", "? ");
}
