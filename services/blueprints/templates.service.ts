/** Offers templates on the bus. */
import type { ServiceSchema } from "moleculer";
import { isAdmin, type Principal } from "#shared/bus/principal.ts";
import { implement } from "#shared/bus/service.ts";
import { type Template, templates } from "#shared/contracts/templates.ts";
import { NotFoundError } from "#shared/errors.ts";
import { maskedTemplate } from "./masked-template.ts";
import { memoryPage } from "#shared/store/memory-page.ts";
import type { TemplateSource } from "./template-source.ts";

export function templatesService(source: TemplateSource): ServiceSchema {
	return {
		name: templates.name,
		actions: implement(templates, {
			async list({ workload_type, ...page }, principal, { meta: { if_none_match: known } }) {
				const all = await source.list();
				const wanted = workload_type === undefined ? all : all.filter((one) => one.workload_type === workload_type);
				const seen = wanted.map((one) => shown(one, principal));
				return memoryPage(seen, ({ name }) => ({ value: name, id: name }), { ...page, known });
			},

			get: async ({ name }, principal) => shown(await find(name), principal),

			whole: ({ name }) => find(name),
		}),
	};

	async function find(name: string): Promise<Template> {
		const found = (await source.list()).find((one) => one.name === name);
		if (!found) throw new NotFoundError(`Template "${name}" does not exist`, "TEMPLATE_NOT_FOUND");
		return found;
	}
}

function shown(template: Template, principal: Principal): Template {
	return isAdmin(principal) ? template : maskedTemplate(template);
}
