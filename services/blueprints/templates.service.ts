/** Offers templates on the bus. */
import type { ServiceSchema } from "moleculer";
import { isAdmin, type Principal } from "#shared/bus/principal.ts";
import { implement } from "#shared/bus/service.ts";
import { type Template, templates } from "#shared/contracts/templates.ts";
import { maskedTemplate } from "./masked-template.ts";
import { memoryPage } from "#shared/store/memory-page.ts";
import type { Templates } from "./templates.ts";

export function templatesService(source: Templates): ServiceSchema {
	return {
		name: templates.name,
		actions: implement(templates, {
			async list({ workload_type, ...page }, principal, { meta: { if_none_match: known } }) {
				const all = await source.all();
				const wanted = workload_type === undefined ? all : all.filter((one) => one.workload_type === workload_type);
				const seen = wanted.map((one) => shown(one, principal));
				return memoryPage(seen, ({ name }) => ({ value: name, id: name }), { ...page, known });
			},

			get: async ({ name }, principal) => shown(await source.named(name), principal),

			whole: ({ name }) => source.named(name),
		}),
	};
}

function shown(template: Template, principal: Principal): Template {
	return isAdmin(principal) ? template : maskedTemplate(template);
}
