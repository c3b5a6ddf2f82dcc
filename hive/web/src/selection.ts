// The row that keys move over. A view says which rows it has; what is selected is an address.
export interface Selection {
  rows: string[];
  selected: string;
  select: (link: string) => void;
}

export const rowProps = (selection: Selection, link: string) => ({
  class: link === selection.selected ? 'row selected' : 'row',
  'data-link': link,
  onClick: (event: MouseEvent) => {
    if (event.target instanceof HTMLElement && event.target.closest('a, button') !== null) return;
    location.hash = link;
  },
});
