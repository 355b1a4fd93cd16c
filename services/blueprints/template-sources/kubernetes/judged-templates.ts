/**
 * Decides which of all templates of a namespace are offered. The answer depends on the objects alone, so that all processes of the
 * platform give the same one. Pure.
 */
import type { Template } from "#shared/contracts/templates.ts";
import type { TemplateList } from "../../template-source.ts";
import type { KnownNames, Refusal } from "./known-names.ts";
import type { TemplateRecord } from "./template-record.ts";
import type { Acceptance } from "./told-status.ts";

/** The most templates that are offered, as of a folder with YAML files. */
export const maxTemplates = 500;

/** The answer of the platform about one object. */
export interface Judgement {
	readonly record: TemplateRecord;
	readonly acceptance: Acceptance;
}

export interface JudgedTemplates {
	readonly list: TemplateList;
	readonly judgements: readonly Judgement[];
}

/** The templates that are offered so far, and which of them is the default of each type of sessions. */
interface Offered {
	readonly templates: Template[];
	readonly defaults: Map<string, string>;
}

/** Decides in the order of the names: of two defaults of one type of sessions, the first one is offered. */
export function judgedTemplates(records: readonly TemplateRecord[], known: KnownNames): JudgedTemplates {
	const offered: Offered = { templates: [], defaults: new Map() };
	const sorted = records.toSorted((one, other) => (one.name < other.name ? -1 : 1));
	const judgements = sorted.map((record) => ({ record, acceptance: acceptanceOf(record, offered, known) }));
	const faults = judgements
		.filter(({ acceptance }) => !acceptance.isAccepted)
		.map(({ record: { name }, acceptance: { message } }) => {
			return { origin: name, name, sentence: `Template "${name}" of the cluster: ${message}` };
		});
	return { list: { templates: offered.templates, faults }, judgements };
}

function acceptanceOf({ generation, read }: TemplateRecord, offered: Offered, known: KnownNames): Acceptance {
	const refusal = "refusal" in read ? read.refusal : (known(read.template) ?? refusalBeside(read.template, offered));
	if (refusal) return { generation, isAccepted: false, ...refusal };
	if ("template" in read) offer(read.template, offered);
	return { generation, isAccepted: true, reason: "Accepted", message: "The platform offers this template" };
}

/** Returns why a template is not offered beside those that are. */
function refusalBeside({ is_default, workload_type }: Template, offered: Offered): Refusal | undefined {
	const first = is_default ? offered.defaults.get(workload_type) : undefined;
	if (first !== undefined)
		return {
			reason: "SecondDefault",
			message: `The template "${first}" is the default of the type "${workload_type}" already; of several, the first by name is offered`,
		};
	if (offered.templates.length < maxTemplates) return undefined;
	return { reason: "TooMany", message: `The first ${maxTemplates} templates by name are offered, and no others` };
}

function offer(template: Template, { templates, defaults }: Offered): void {
	templates.push(template);
	if (template.is_default) defaults.set(template.workload_type, template.name);
}
