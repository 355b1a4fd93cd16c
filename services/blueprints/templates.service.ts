/** Offers templates on the bus. */
import type { ServiceSchema } from "moleculer";
import { isAllowed } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { type Template, templates } from "#shared/contracts/templates.ts";
import { maskedTemplate } from "./masked-template.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import type { Templates } from "./templates.ts";

/** @param operators The tenant of the operators, who may see the values of variables and headers. */
export function templatesService(source: Templates, operators: string): ServiceSchema {
	const shown = (template: Template, principal: Principal): Template =>
		isAllowed(principal, "see-secrets", "installation", { operators }) ? template : maskedTemplate(template);

	return serviceOf(templates, {
		async list({ workload_type, ...page }, principal, { meta: { if_none_match: known } }) {
			const all = await source.all();
			const wanted = workload_type === undefined ? all : all.filter((one) => one.workload_type === workload_type);
			const seen = wanted.map((one) => shown(one, principal));
			return memoryPage(seen, ({ name }) => ({ value: name, id: name }), { ...page, known });
		},

		get: async ({ name }, principal) => shown(await source.named(name), principal),

		whole: ({ name }) => source.named(name),
	});
}
