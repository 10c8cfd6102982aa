import { createListPage } from "../parts/list.js";
import { CodeLink, Pill } from "../parts/show.js";
import { formUrl } from "../view/view.js";

const path = "/companies";

export const companiesPage = createListPage({
  path,
  title: "Companies",
  isAdmin: true,
  lead: "Each company has its own money, customers, charges, webhooks, rules and clock. Connect shows how to reach one.",
  names: ["company", "companies"],
  table: ({ sandbox }) => sandbox.opened,
  idOf: ({ id }) => `company-${id}`,
  searchedBy: "id",
  textsOf: ({ id }) => [id],
  columns: (view) => [
    {
      title: "Company",
      kind: "wide",
      cell: ({ id }) => {
        const company = view.sandbox.findCompany(id) ?? view.company;
        return [
          <CodeLink href={formUrl({ ...view, company }, path)} text={id} />,
          " ",
          company === view.company && <Pill tone="good">shown</Pill>,
        ];
      },
    },
  ],
  make: () => ({
    what: "company",
    name: "open",
    label: "Open",
    inputs: [
      {
        name: "companyId",
        label: "Company id (optional)",
        placeholder: "company_two",
      },
    ],
  }),
  hint: "",
});
